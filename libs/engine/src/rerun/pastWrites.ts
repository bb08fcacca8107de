/** The calls of a run that changed something, or may have: what an undo of the run has to take back. */
import { type Json, type JsonObject, isObject } from '@baton/primitives';

import { checkFrame } from '../state/checkFrame.ts';
import type { Call, RunEvent } from '../state/event.ts';
import type { Path } from '../state/path.ts';
import { maskOf } from '../state/place.ts';
import { shownEffectOf } from '../state/shownEffectOf.ts';
import type { UndoEnd } from '../state/undoEnd.ts';
import { type Blobs, resolve } from '../state/value.ts';
import { valueView } from '../state/view.ts';
import { type PastStep, PastSteps } from './pastSteps.ts';

export interface PastWrite {
  readonly path: Path;
  readonly server: string;
  readonly tool: string;
  /** `unknown`: its answer was lost. */
  readonly outcome: 'succeeded' | 'unknown';
  /** `call` of what is declared for the tool, without arguments that hold a secret. `output`: of one that succeeded. */
  readonly call: { readonly arguments: JsonObject; readonly output?: Json };
  /** Whether the run took it back itself; `unknown`: it called its undo, and the answer was lost. */
  readonly undone: 'no' | 'yes' | 'unknown';
  /** A try before the last may have happened too. */
  readonly mayHaveHappenedBefore: boolean;
}

type ToolCall = Extract<Call, { verb: 'tool' }>;

/** In the order in which they ended. Not those of child runs, and none that the run kept from another. Throws `BlobsNeeded`. */
export function pastWrites(journal: readonly RunEvent[], blobs: Blobs): readonly PastWrite[] {
  const past = new PastSteps(journal);
  const paths = new Set(journal.flatMap((event) => (event.type === 'step.started' ? [event.path] : [])));
  const isChecked = (prefix: string): boolean => [...paths].some((path) => path.startsWith(prefix));
  return [...paths]
    .flatMap((path) => {
      const step = past.get(path);
      const call = step === undefined || /\/@(undo|check)/.test(path) ? undefined : writeOf(step);
      const end = call && step && endOf(step, journal);
      if (call === undefined || step === undefined || end === undefined) return [];
      return [{ path, step, call, ...end }];
    })
    .toSorted((one, other) => one.at - other.at)
    .map(({ path, step, call, outcome, attempt, output }) => ({
      path,
      server: call.server,
      tool: call.tool,
      outcome,
      call: { arguments: seenArguments(call, blobs), ...(output && { output: outputOf(output(blobs)) }) },
      undone: undoneIn[past.undoEnd(path) ?? 'failed'],
      mayHaveHappenedBefore:
        call.isKeyed !== true &&
        [...step.unknownAttempts].some((one) => one < attempt && !isChecked(`${path}/${checkFrame(one)}/`)),
    }));
}

function writeOf({ intent }: PastStep): ToolCall | undefined {
  return intent !== undefined && 'verb' in intent && intent.verb === 'tool' && shownEffectOf(intent) !== 'read'
    ? intent
    : undefined;
}

interface PastEnd {
  /** Position in the journal. */
  readonly at: number;
  readonly outcome: PastWrite['outcome'];
  readonly attempt: number;
  readonly output?: (blobs: Blobs) => Json;
}

/** Undefined: it did not happen. */
function endOf({ started = 0, ended, unknownAttempts }: PastStep, journal: readonly RunEvent[]): PastEnd | undefined {
  const at = ended ?? started;
  const end = ended === undefined ? undefined : journal[ended];
  if (end?.type === 'step.succeeded') {
    const { attempt, value } = end;
    return { at, outcome: 'succeeded', attempt, output: (blobs) => resolve(value, blobs) };
  }
  return unknownAttempts.size === 0 ? undefined : { at, outcome: 'unknown', attempt: Math.max(...unknownAttempts) };
}

const outputOf = (value: Json): Json => valueView('tool', value)['output'] ?? null;

function seenArguments({ arguments: given, added }: ToolCall, blobs: Blobs): JsonObject {
  const written = resolve(given, blobs);
  const all = Object.entries({ ...added, ...(isObject(written) ? written : {}) });
  return Object.fromEntries(all.filter(([, value]) => !hasMask.test(JSON.stringify(value))));
}

const [beforeName = '', afterName = ''] = maskOf('@').split('@');
/** Names have no quotes and no brackets. */
const hasMask = new RegExp(String.raw`${RegExp.escape(beforeName)}\w+${RegExp.escape(afterName)}`);

/** An undo that failed is due again: its call did not happen. */
const undoneIn: Readonly<Record<UndoEnd, PastWrite['undone']>> = {
  undone: 'yes',
  failed: 'no',
  skipped: 'no',
  unknown: 'unknown',
};
