/** Which calls take back the writes of a finished run, and which writes nothing takes back. */
import { type Blobs, type PastWrite, findStep, pastWrites, type RunEvent } from '@baton/engine';
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
import type { JsonObject } from '@baton/primitives';

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
export interface LeftWrite {
  readonly write: Pick<PastWrite, 'path' | 'server' | 'tool' | 'outcome'>;
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
  for (const write of pastWrites(journal, blobs).toReversed()) {
    const pointer = findStep(plan, write.path)?.pointer;
    const own = ownUndos.find((step) => pointer !== undefined && `${pointer}/`.startsWith(`${step.pointer}/`));
    const found =
      own === undefined
        ? callFor(write, declared, undone.get(write.path))
        : `${own.key} has an \`undo\` of its own, in the workflow.`;
    if (found === 'undone') continue;
    if (typeof found === 'string') left.push({ write, why: found });
    else calls.push(found);
    if (typeof found !== 'string' && write.mayHaveHappenedBefore)
      left.push({ write: { ...write, outcome: 'unknown' }, why: 'An earlier try of it may have happened too.' });
  }
  return { calls, left };
}

const isDeclaredUndo = (step: ReturnType<typeof stepsOf>[number]): boolean =>
  step.verb === 'tool' && step.isUndoDeclared === true;

/** A text: why there is none. */
function callFor(write: PastWrite, declared: Declared, before: PastWrite['outcome'] | undefined): UndoCall | string {
  if (write.undone === 'yes' || before === 'succeeded') return 'undone';
  if (write.undone === 'unknown' || before === 'unknown')
    return 'Its undo was called, and whether that happened is not known.';
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
