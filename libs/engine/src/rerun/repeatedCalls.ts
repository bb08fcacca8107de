/** Lists the calls of a finished run that its rerun makes again. */
import type { Effect } from '@baton/language';

import { calledName } from '../state/calledName.ts';
import type { Call, RunEvent } from '../state/event.ts';
import type { Path } from '../state/path.ts';
import { shownEffectOf } from '../state/shownEffectOf.ts';
import type { PastSteps } from './pastSteps.ts';

export interface RepeatedCall {
  readonly path: Path;
  readonly verb: 'tool' | 'prompt' | 'resource' | 'sample';
  /** `server/tool` and the like; undefined for a sample. */
  readonly target: string | undefined;
  /** Undefined for other verbs than `tool`. */
  readonly effect: Effect | undefined;
  /** How the old call ended. */
  readonly outcome: 'succeeded' | 'failed' | 'unknown' | 'cancelled';
}

/** Writes that happened, or may have, come first; the others in the order in which they began. */
export function repeatedCalls(
  journal: readonly RunEvent[],
  past: PastSteps,
  isKept: (path: Path, position: number) => boolean,
): readonly RepeatedCall[] {
  const calls = new Map<Path, RepeatedCall>();
  for (const event of journal) {
    if (event.type !== 'step.started' || event.call === undefined || isCompensation(event.path)) continue;
    const { call, path } = event;
    const ended = past.get(path)?.ended;
    if (ended !== undefined && isKept(path, ended)) continue;
    const effect = call.verb === 'tool' ? shownEffectOf(call) : undefined;
    const outcome = outcomeOf(ended === undefined ? undefined : journal[ended]);
    calls.set(path, { path, verb: call.verb, target: targetOf(call), effect, outcome });
  }
  return [...calls.values()].toSorted((a, b) => Number(isRepeatedWrite(b)) - Number(isRepeatedWrite(a)));
}

/** Whether the path lies in an undo, a check or a handler: a rerun does these again only where they are needed. */
export const isCompensation = (path: Path): boolean => /\/@(undo|check|onError|onFailure)/.test(`/${path}`);

const isRepeatedWrite = ({ effect, outcome }: RepeatedCall): boolean =>
  effect === 'write' && (outcome === 'succeeded' || outcome === 'unknown');

function outcomeOf(end: RunEvent | undefined): RepeatedCall['outcome'] {
  switch (end?.type) {
    case 'step.succeeded':
      return 'succeeded';
    case 'step.failed':
      return 'failed';
    case 'step.unknown':
      return 'unknown';
    default:
      return 'cancelled';
  }
}

function targetOf(call: Call): string | undefined {
  if (call.verb === 'sample') return undefined;
  return `${call.server}/${calledName(call)}`;
}
