/** Which calls take back the writes of a finished run, and which writes nothing takes back. */
import { type Blobs, type PastWrite, findStep, pastWrites, stateKeysOf, type RunEvent } from '@baton/engine';
import { EvaluationError } from '@baton/expressions';
import {
  type Block,
  type DeclaredCall,
  type DeclaredCheck,
  type Plan,
  compileDeclaredCheck,
  compileDeclaredUndo,
  stepsOf,
} from '@baton/language';
import { type JsonObject, canonicalJson } from '@baton/primitives';

import type { Declared } from './declared.ts';
import type { UndoneBefore } from './undoneBefore.ts';

export interface UndoCall {
  readonly write: PastWrite;
  readonly undo: DeclaredCall;
  /** Of the undo. Undefined: they follow from what the check finds. */
  readonly arguments: JsonObject | undefined;
  /** Of an unknown write: finds out first whether it happened. */
  readonly check?: { readonly declared: DeclaredCheck; readonly arguments: JsonObject };
}

/** A write that stays. */
interface LeftWrite {
  readonly write: Pick<PastWrite, 'path' | 'outcome'> & {
    /** `server/tool`, or `state.count` for a key of state. */
    readonly target: string;
  };
  readonly why: string;
}

export interface UndoCalls {
  /** The last write comes first. */
  readonly calls: readonly UndoCall[];
  readonly left: readonly LeftWrite[];
}

export interface PastRunParts {
  readonly plan: Plan;
  readonly journal: readonly RunEvent[];
  readonly blobs: Blobs;
  /** As the version of the run has it. */
  readonly declared: Declared;
  /** By earlier undos. */
  readonly undone: UndoneBefore;
}

/** Throws `BlobsNeeded`. */
export function undoCalls({ plan, journal, blobs, declared, undone }: PastRunParts): UndoCalls {
  const calls: UndoCall[] = [];
  const left: LeftWrite[] = [];
  const ownUndos = stepsOf(plan).filter((step) => step.undo !== undefined && !isDeclaredUndo(step));
  const writes = pastWrites(journal, blobs).toReversed();
  const made = new MadeUndos();
  for (const write of writes) {
    const call = isOver(write, undone.get(write.path)) ? callFor(write, declared) : undefined;
    if (call !== undefined && typeof call !== 'string') made.add(call);
    if (write.outcome === 'succeeded') made.addWrite(write);
  }
  for (const write of writes) {
    const pointer = findStep(plan, write.path)?.pointer;
    const own = ownUndos.find((step) => pointer !== undefined && `${pointer}/`.startsWith(`${step.pointer}/`));
    const state = isOver(write, undone.get(write.path));
    if (state === 'undone' && own === undefined) continue;
    const found = own === undefined ? foundFor(write, declared, { state, made }) : ownText(own);
    if (typeof found === 'string') left.push({ write: leftOf(write), why: found });
    else {
      calls.push(found);
      made.add(found);
    }
    if (typeof found !== 'string' && write.mayHaveHappenedBefore)
      left.push({
        write: { ...leftOf(write), outcome: 'unknown' },
        why: 'An earlier try of it may have happened too.',
      });
  }
  return { calls, left: [...left, ...stateLeft(journal)] };
}

const leftOf = ({ path, server, tool, outcome }: PastWrite): LeftWrite['write'] => ({
  path,
  target: `${server}/${tool}`,
  outcome,
});

/** What the run before has written too, where this one goes on from it. */
function stateLeft(journal: readonly RunEvent[]): readonly LeftWrite[] {
  const why = 'State stays as it was written; `baton state set` sets it.';
  return journal.flatMap((event) => {
    const target = stateKeysOf(event)
      ?.map((key) => `state.${key}`)
      .join(', ');
    if (target === undefined || !('path' in event)) return [];
    return [{ write: { path: event.path, target, outcome: 'succeeded' as const }, why }];
  });
}

const isDeclaredUndo = (step: ReturnType<typeof stepsOf>[number]): boolean =>
  step.verb === 'tool' && step.isUndoDeclared === true;

/** It reads steps of the run: only the run itself can make it, while it fails. */
const ownText = ({ key }: ReturnType<typeof stepsOf>[number]): string =>
  `${key} has an \`undo\` of its own, in the workflow, which only a run that fails makes.`;

type OverState = 'undone' | 'maybe' | undefined;

/** Whether its undo was made, by the run itself or by an earlier undo. */
function isOver(write: PastWrite, before: PastWrite['outcome'] | undefined): OverState {
  if (write.undone === 'yes' || before === 'succeeded') return 'undone';
  return write.undone === 'unknown' || before === 'unknown' ? 'maybe' : undefined;
}

/** A call that takes back two writes is made once: the second may take back what another run has written. */
class MadeUndos {
  /** Paths of writes, by the calls that undo them. */
  readonly #byUndo = new Map<string, string>();
  readonly #byWrite = new Map<string, string>();

  add(call: UndoCall): void {
    const { write } = call;
    const key = undoKey(call);
    if (key !== undefined && !this.#byUndo.has(key)) this.#byUndo.set(key, write.path);
    this.addWrite(write);
  }

  addWrite(write: PastWrite): void {
    if (!this.#byWrite.has(writeKey(write))) this.#byWrite.set(writeKey(write), write.path);
  }

  /** Why the call is not made. */
  equalTo(call: UndoCall): string | undefined {
    const { write, check } = call;
    const key = undoKey(call);
    const same = key === undefined ? undefined : this.#byUndo.get(key);
    if (same !== undefined)
      return `Its undo is the same call as that of ${same}, which is made once. If both need one, make the other by hand.`;
    const equal = check === undefined ? undefined : this.#byWrite.get(writeKey(write));
    return (
      equal &&
      `Whether it happened is not known: its check cannot tell it from ${equal}, which was called with the same.`
    );
  }
}

const writeKey = ({ server, tool, call }: PastWrite): string => canonicalJson([server, tool, call.arguments]);

const undoKey = ({ write: { server }, undo: { tool }, arguments: given }: UndoCall): string | undefined =>
  given && canonicalJson([server, tool, given]);

/** A text: why there is none. */
function foundFor(
  write: PastWrite,
  declared: Declared,
  { state, made }: { readonly state: OverState; readonly made: MadeUndos },
): UndoCall | string {
  if (state === 'maybe') return 'Its undo was called, and whether that happened is not known.';
  const call = callFor(write, declared);
  return typeof call === 'string' ? call : (made.equalTo(call) ?? call);
}

/** A text: why there is none. */
function callFor(write: PastWrite, declared: Declared): UndoCall | string {
  const { undo, check, unusable = {} } = declared(write.server, write.tool);
  if (undo === undefined)
    return unusable.undo ?? `No undo is declared for ${write.tool} in the version that the run executed.`;
  const { server, call } = write;
  if (write.outcome === 'succeeded') {
    const given = argumentsOf(compileDeclaredUndo(server, undo), call);
    return typeof given === 'string' ? `Its undo lacks a value: ${given}` : { write, undo, arguments: given };
  }
  if (check === undefined)
    return `Whether it happened is not known. ${unusable.check ?? `No check is declared for ${write.tool}.`}`;
  const asked = argumentsOf(compileDeclaredCheck(server, check).block, call);
  if (typeof asked === 'string') return `Whether it happened is not known, and its check lacks a value: ${asked}`;
  return { write, undo, arguments: undefined, check: { declared: check, arguments: asked } };
}

/** A text: what is missing. */
function argumentsOf({ steps: [step] }: Block, call: PastWrite['call']): JsonObject | string {
  if (step?.verb !== 'tool') return 'it calls no tool.';
  try {
    return step.with.evaluate({ call });
  } catch (error) {
    if (error instanceof EvaluationError) return error.message;
    throw error;
  }
}
