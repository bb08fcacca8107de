/**
 * The effect that people and models are shown. A step's `effect` decides what Baton repeats, because its author may know
 * the tool better; it never makes a call look weaker than its server and its operator say.
 */
import type { DecidedEffect, Effect } from '../plan.ts';

export const effectStrength: Readonly<Record<Effect, number>> = { read: 0, idempotent: 1, write: 2 };

export const strongerEffect = (a: Effect, b: Effect): Effect => (effectStrength[a] >= effectStrength[b] ? a : b);

/** `known`: without the step; undefined where nothing is known of the tool. */
export const shownEffect = (decided: DecidedEffect, known: DecidedEffect | undefined): DecidedEffect =>
  known !== undefined && effectStrength[known.effect] > effectStrength[decided.effect] ? known : decided;
