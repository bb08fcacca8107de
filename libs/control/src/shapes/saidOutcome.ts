/** Converts what a person said of a lost call into the API's schema. */
import { type SaidOutcome as SaidAnswer, instant } from '@baton/api';
import type { SaidOutcome } from '@baton/engine';

export const shownSaid = (said: SaidOutcome | undefined): SaidAnswer | undefined =>
  said && { ...said, at: instant(said.at) };
