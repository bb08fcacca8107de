/**
 * The effect of repeating a tool's call, and who declared it.
 *
 * The step counts most, then the operator (`effects` of the server), then the server's annotations; without any it is a
 * `write`.
 *
 * Annotations are hints (MCP 2025-06-18, server/tools). They are believed unless the operator writes `trust: false`: an
 * operator who configures a server already lets it act when called, so a false hint gains it nothing. Against careless
 * hints there are `effects` and `trust`.
 */
import type { DecidedEffect, Effect } from '@baton/language';

import { literalLength, matchesGlob } from './glob.ts';

/** The hints of a tool that bear on its effect. */
interface EffectHints {
  readonly readOnlyHint?: boolean | undefined;
  readonly idempotentHint?: boolean | undefined;
}

export interface EffectQuestion {
  readonly tool: string;
  /** What the workflow's step says. */
  readonly step?: Effect | undefined;
  /** The server's `effects`: patterns over tool names. */
  readonly effects?: Readonly<Record<string, Effect>> | undefined;
  /** Absent: believed. */
  readonly trust?: boolean | undefined;
  readonly annotations?: EffectHints | undefined;
}

/** Between two patterns that say equally much, the one that promises less. */
const caution: Readonly<Record<Effect, number>> = { write: 2, idempotent: 1, read: 0 };

export function decideEffect(question: EffectQuestion): DecidedEffect {
  const { tool, step, effects = {}, trust = true, annotations } = question;
  if (step !== undefined) return { effect: step, from: 'step' };
  const configured = Object.hasOwn(effects, tool) ? effects[tool] : byPattern(effects, tool);
  if (configured !== undefined) return { effect: configured, from: 'server' };
  if (trust && annotations?.readOnlyHint === true) return { effect: 'read', from: 'annotations' };
  if (trust && annotations?.idempotentHint === true) return { effect: 'idempotent', from: 'annotations' };
  return { effect: 'write', from: 'default' };
}

function byPattern(effects: Readonly<Record<string, Effect>>, tool: string): Effect | undefined {
  return Object.entries(effects)
    .filter(([pattern]) => matchesGlob(pattern, tool))
    .toSorted(([a, says], [b, other]) => literalLength(b) - literalLength(a) || caution[other] - caution[says])[0]?.[1];
}
