/**
 * Calls to a server that takes them at a rate wait for their turn before their intent: the step waits, and its call was
 * not sent. The driver asks for the turns, and tells `decide` which ones it got.
 */
import { type CallStep, type Step, isCallStep } from '@baton/language';

import type { Call, EventOf } from '../state/event.ts';
import type { Path } from '../state/path.ts';

/** `at`: epoch milliseconds. */
export type CallTurn =
  | { readonly kind: 'at'; readonly at: number }
  /** The turns could not be asked: ask again then. */
  | { readonly kind: 'away'; readonly at: number }
  /** The person of the run has no login at the server; `who`: by name. */
  | { readonly kind: 'login'; readonly who: string }
  /** It comes after the longest time that a client waits, and was not taken. */
  | { readonly kind: 'tooFar'; readonly waitMs: number };

export interface CallTurns {
  /** Whether calls to the server wait for their turn. */
  isPaced(server: string): boolean;
  /** The turn that the driver got for this attempt; undefined: it has not asked. */
  of(path: Path, attempt: number): CallTurn | undefined;
}

/** Each call has its turn at once. */
export const noCallTurns: CallTurns = { isPaced: () => false, of: () => ({ kind: 'at', at: 0 }) };

/** A turn that comes within this time is waited for in the process, and a later one in the journal. */
export const shortTurnMs = 2_000;

/** The client of a session is told to come again where the turn is further away. */
export const clientTurnMs = 30_000;

/** A run waits no longer for a login: then its call fails, and says who has to log in. */
export const loginMaxMs = 7 * 86_400_000;

/** Each look is an event, so the longer a run has waited for a login, the longer it waits for the next look. */
export const loginLookMs = (waitedMs: number): number => Math.min(Math.max(waitedMs, 5_000), 600_000);

/** The step waits for its turn instead of beginning its call. */
export function linedUp(
  { at, path, verb, attempt }: Pick<EventOf<'step.started'>, 'at' | 'path' | 'verb' | 'attempt'>,
  server: string,
): EventOf<'step.waiting'> {
  return { type: 'step.waiting', at, path, verb, attempt, awaiting: { for: 'turn', server } };
}

/** Undefined: a model is asked, and no server. */
export const serverOf = (call: Call): string | undefined => (call.verb === 'sample' ? undefined : call.server);

/** What a rate by tool tells apart: the tool, the prompt, or that resources are read. */
export function pacedName(called: Exclude<Call | CallStep, { verb: 'sample' }>): string {
  switch (called.verb) {
    case 'tool':
      return called.tool;
    case 'prompt':
      return `prompt ${called.prompt}`;
    case 'resource':
      return 'resources';
  }
}

/** Of a step that waits for its turn. */
export const pacedNameOf = (step: Step): string =>
  isCallStep(step) && step.verb !== 'sample' ? pacedName(step) : step.verb;
