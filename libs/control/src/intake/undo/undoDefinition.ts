/**
 * Writes the workflow that takes back what a run has written: one call after the other, the last write first. A call that
 * fails does not keep the others from being made, and fails the run in the end: another undo makes what is left.
 */
import { limits } from '@baton/expressions';
import type { Json, JsonObject } from '@baton/primitives';
import { type Definition, type Pin, definitionOf } from '@baton/store';

import type { UndoCall } from './undoCalls.ts';

type StepText = Readonly<Record<string, Json>>;

interface WrittenCall {
  readonly steps: readonly StepText[];
  /** CEL: nothing of this write is left. */
  readonly isOver: string;
  readonly given: JsonObject;
}

/** Its inputs are the arguments of the calls, as they were shown. */
export interface UndoDefinition {
  readonly definition: Definition;
  readonly inputs: JsonObject;
}

/** Undefined: more steps than a workflow may have. */
export function undoDefinition(
  workflow: string,
  calls: readonly UndoCall[],
  pinOf: (server: string, tool: string) => Pin,
): UndoDefinition | undefined {
  const written = calls.map((call, at) => (call.check === undefined ? certain(call, at + 1) : checked(call, at + 1)));
  const steps = [...written.flatMap((one) => one.steps), ...lastSteps(written)];
  if (steps.length > limits.document.steps) return undefined;
  const source = { workflow, inputs: { calls: { type: 'object' } }, steps };
  const called = calls.flatMap(({ write: { server }, undo, check }) =>
    [undo, check?.declared].flatMap((one) => (one === undefined ? [] : [[server, one.tool] as const])),
  );
  const pins = Object.fromEntries(called.map(([server, tool]) => [`${server}/${tool}`, pinOf(server, tool)]));
  const inputs = { calls: Object.fromEntries(written.map(({ given }, at) => [`undo_${at + 1}`, given])) };
  return { definition: definitionOf(JSON.stringify(source, undefined, 2), 'json', pins), inputs };
}

const titleOf = ({ write: { path, server, tool } }: UndoCall): string =>
  `undo of ${path}: ${server}/${tool}`.slice(0, limits.document.titleCharacters);

/** Each argument is a value of the inputs: a text in it is not read as a template. */
const fromInputs = (given: JsonObject, at: string): JsonObject =>
  Object.fromEntries(Object.keys(given).map((name) => [name, `\${{ ${at}[${JSON.stringify(name)}] }}`]));

function certain(call: UndoCall, nth: number): WrittenCall {
  const { write, undo, arguments: given = {} } = call;
  const id = `undo_${nth}`;
  const { timeout } = undo;
  const step = {
    id,
    title: titleOf(call),
    tool: `${write.server}/${undo.tool}`,
    with: fromInputs(given, `inputs.calls.${id}.arguments`),
    ...(timeout !== undefined && { timeout }),
    onError: 'ignore',
  };
  return { steps: [step], isOver: `steps.${id}.status == "succeeded"`, given: { of: write.path, arguments: given } };
}

/** `name` is a name in the text of an expression. */
const bound = (name: string, value: string, text: string): string => `[${value}].map(${name}, ${text})[0]`;

function checked(call: UndoCall, nth: number): WrittenCall {
  const { write, undo, check } = call;
  const [undoId, foundId, saidId, answeredId] = [`undo_${nth}`, `found_${nth}`, `said_${nth}`, `answered_${nth}`];
  const { happened = 'false', output = 'null', tool = '', timeout } = check?.declared ?? {};
  const own = `inputs.calls.${undoId}`;
  const seen = (text: string): string => bound('call', `${own}.call`, bound('result', `steps.${foundId}`, text));
  const found = {
    id: foundId,
    title: `did it happen? ${write.path}: ${write.server}/${write.tool}`.slice(0, limits.document.titleCharacters),
    tool: `${write.server}/${tool}`,
    with: fromInputs(check?.arguments ?? {}, `${own}.check`),
    ...(timeout !== undefined && { timeout }),
    onError: 'ignore',
  };
  const said = {
    id: saidId,
    if: `steps.${foundId}.status == "succeeded"`,
    set: { happened: `\${{ ${seen(happened)} }}` },
    onError: 'ignore',
  };
  const answered = {
    id: answeredId,
    if: `steps.${saidId}.status == "succeeded" && steps.${saidId}.happened == true`,
    set: { call: `\${{ {"arguments": ${own}.call.arguments, "output": ${seen(output)}} }}` },
    onError: 'ignore',
  };
  const { timeout: undoTimeout } = undo;
  const step = {
    id: undoId,
    title: titleOf(call),
    if: `steps.${answeredId}.status == "succeeded"`,
    forEach: `\${{ [steps.${answeredId}.call] }}`,
    as: 'call',
    steps: [
      {
        id: 'call',
        tool: `${write.server}/${undo.tool}`,
        ...(undo.with !== undefined && { with: undo.with }),
        ...(undoTimeout !== undefined && { timeout: undoTimeout }),
      },
    ],
    onError: 'ignore',
  };
  const isOver = `steps.${saidId}.status == "succeeded" && (steps.${saidId}.happened == false || steps.${undoId}.status == "succeeded")`;
  return {
    steps: [found, said, answered, step],
    isOver,
    given: { of: write.path, call: write.call, check: check?.arguments ?? {} },
  };
}

/** Parts of the last condition, which is too long for one expression where there are many calls. */
const partSize = 16;

/** Fails the run where something is left. */
function lastSteps(written: readonly WrittenCall[]): readonly StepText[] {
  const parts = Array.from({ length: Math.ceil(written.length / partSize) }, (_, at) => ({
    id: `over_${at + 1}`,
    set: { all: `\${{ ${allOver(written.slice(at * partSize, (at + 1) * partSize))} }}` },
  }));
  const message = 'Not everything is undone: its steps say what is left. Another undo makes the calls that failed.';
  const isOver = parts.map(({ id }) => `steps.${id}.all`).join(' && ');
  return [...parts, { id: 'not_undone', if: `!(${isOver})`, fail: message, code: 'not-undone' }];
}

const allOver = (written: readonly WrittenCall[]): string => written.map(({ isOver }) => `(${isOver})`).join(' && ');
