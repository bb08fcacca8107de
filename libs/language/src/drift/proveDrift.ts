/**
 * Proves that a workflow can go on with tools that have changed: it is checked twice, with the definitions of before and
 * with those of now, and what was proved before must be proved again.
 *
 *   arguments   proved again, or the new schema takes all that the old one took, of those that the call gives
 *   defaults    they must be the same, wherever they are in the schema
 *   answers     of what the new schema says less about than the old one, no expression may use anything
 *   findings    none that was not there before
 *
 * Each part may say "not proven" of what it does not know: then a person decides.
 */
import { type Type, quoted, segmentsOf, types } from '@baton/expressions';
import { isObject, type Json } from '@baton/primitives';

import { type CheckedWorkflow, checkDocument } from '../check/check.ts';
import type { CheckObserver } from '../check/checkRun.ts';
import type { CheckOptions } from '../check/options.ts';
import type { Workflow } from '../document/workflow.ts';
import { admits } from '../fit/admits.ts';
import type { Problem } from '../problem.ts';
import { reading } from '../readDocument.ts';
import { runToEnd } from '../runToEnd.ts';
import type { CallNote } from '../servers/callReport.ts';
import type { OfferedTool, ServerOffer, ServerOffers } from '../servers/offer.ts';
import { splitTarget } from '../servers/splitTarget.ts';
import { answerType } from './answerType.ts';
import { callDoubts } from './changedArguments.ts';
import { defaultDoubts } from './changedDefaults.ts';
import { changedRead } from './changedReads.ts';
import type { ChangedTool, ChangedTools, Doubt } from './changedTool.ts';

/** Why a workflow cannot go on with the tools of now. */
export interface Unproven {
  /** JSON pointer into the document; empty: the whole file. */
  readonly path: string;
  /** 1-based. */
  readonly line: number;
  readonly message: string;
}

/** `options.servers`: what the servers offer now. Empty: it is proven. */
export function proveDrift(text: string, changed: ChangedTools, options: CheckOptions): readonly Unproven[] {
  const { document, workflow, problems } = runToEnd(reading(text));
  const [first] = problems;
  if (workflow === undefined) {
    const message = `This release of Baton does not read the file any more. ${first?.message ?? ''}`.trim();
    return [{ path: '', line: 1, message }];
  }
  const answers = new Map([...changed].map(([tool, { before, now }]) => [tool, answerTypeOf(before, now)]));
  const reads: Doubt[] = [];
  const observe: CheckObserver = {
    onExpression: (site, seen) => {
      const read = changedRead(site, seen);
      if (read !== undefined) reads.push(read);
    },
  };
  const checkWith = (
    toolOf: (one: ChangedTool) => OfferedTool,
    more: object = {},
    watched: object = {},
  ): CheckedWorkflow =>
    checkDocument(
      { workflow, ...watched },
      { ...options, ...more, servers: withTools(options.servers, changed, toolOf) },
    );
  const was = checkWith(({ before }) => before);
  const is = checkWith(({ now }) => now, { answers }, { observe });
  const doubts = [
    ...[...changed].flatMap(([tool, one]) => defaultDoubts(tool, one)),
    ...newProblems(was.problems, is.problems),
    ...callDoubts(workflow, was.calls, is.calls, changed),
    ...reads,
    ...hiddenReads(workflow, is.calls, answers),
    ...declaredDoubts(is.calls, changed, options),
  ];
  const unproven = doubts.map(({ message, ...place }) => ({
    path: place.pointer,
    line: document.placeOf(place).line,
    message,
  }));
  return [...new Map(unproven.map((one) => [`${one.path} ${one.message}`, one])).values()];
}

const answerTypeOf = (before: OfferedTool, now: OfferedTool): Type => answerType(before.outputSchema, now.outputSchema);

function withTools(
  servers: ServerOffers = new Map(),
  changed: ChangedTools,
  toolOf: (one: ChangedTool) => OfferedTool,
): ServerOffers {
  return new Map(
    [...servers].map(([server, offer]): [string, ServerOffer] => {
      if (offer.kind !== 'known') return [server, offer];
      const tools = offer.tools.map((tool) => {
        const one = changed.get(`${server}/${tool.name}`);
        return one === undefined ? tool : toolOf(one);
      });
      return [server, { ...offer, tools }];
    }),
  );
}

function newProblems(was: readonly Problem[], is: readonly Problem[]): readonly Doubt[] {
  const keyOf = ({ code, pointer, within = [0, 0] }: Problem): string => `${code} ${pointer} ${within.join('-')}`;
  const known = new Set(was.map(keyOf));
  return is.filter((one) => !known.has(keyOf(one)));
}

/** More nested `repeat` steps than this know nothing of the type of their previous round. */
const repeatsMax = 2;

/** Answers that expressions can read at places whose type says nothing of them. */
function hiddenReads(
  workflow: Workflow,
  calls: readonly CallNote[],
  answers: ReadonlyMap<string, Type>,
): readonly Doubt[] {
  return calls.flatMap(({ target, pointer }): Doubt[] => {
    const type = answers.get(target);
    const isHidden = pointer.split('/repeat/').length - 1 > repeatsMax || isInRace(workflow, pointer);
    if (type === undefined || !types.holdsChanged(type) || !isHidden) return [];
    return [
      { pointer, message: `Nothing proves that what is read of the answer of ${quoted(target)} is what it was.` },
    ];
  });
}

/** Whether the call is inside a `parallel` with `until`, which gives the output of any of its steps. */
function isInRace(workflow: Workflow, pointer: string): boolean {
  let around: Json | undefined = workflow as unknown as Json;
  for (const segment of segmentsOf(pointer)) {
    if (isObject(around) && segment === 'parallel' && around['until'] !== undefined) return true;
    if (Array.isArray(around)) around = (around as readonly Json[])[Number(segment)];
    else around = isObject(around) && Object.hasOwn(around, segment) ? around[segment] : undefined;
  }
  return false;
}

/** The calls of what the server configuration declares are in no workflow: the tools in it must promise what they did. */
function declaredDoubts(
  calls: readonly CallNote[],
  changed: ChangedTools,
  { declarations }: CheckOptions,
): readonly Doubt[] {
  const targets = new Set(calls.flatMap(({ verb, target }) => (verb === 'tool' ? [target] : [])));
  return [...targets].flatMap((target) => {
    const [server, name] = splitTarget(target);
    const { check, undo } = declarations?.(server, name) ?? {};
    const declared = [check, undo].flatMap((one) => (one === undefined ? [] : [`${server}/${one.tool}`]));
    const unsure = declared.filter((one) => !isAsBefore(changed.get(one)));
    if (declared.length > 0 && !answersAsBefore(changed.get(target))) unsure.push(target);
    return unsure.map((one) => {
      const message = `Nothing proves that ${quoted(one)} does in what is declared for ${quoted(target)} what it did.`;
      return { pointer: '', message };
    });
  });
}

const answersAsBefore = (one: ChangedTool | undefined): boolean =>
  one === undefined || !types.holdsChanged(answerTypeOf(one.before, one.now));

const isAsBefore = (one: ChangedTool | undefined): boolean =>
  one === undefined || (answersAsBefore(one) && admits(one.now.inputSchema, one.before.inputSchema));
