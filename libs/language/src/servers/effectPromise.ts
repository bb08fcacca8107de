/**
 * Finds a step whose `effect` promises more than the operator or the tool itself: Baton would repeat a write that it
 * must not repeat. Annotations are hints, and the author may know better, so this is a warning.
 */
import { quoted } from '@baton/expressions';

import type { DecidedEffect, Effect } from '../plan.ts';
import type { ToolHints } from './offer.ts';
import { effectStrength } from './shownEffect.ts';
import { splitTarget } from './splitTarget.ts';

export interface BrokenPromise {
  readonly message: string;
  /** Who says otherwise, and what. */
  readonly claim: string;
  readonly likely: Effect;
  readonly hint: string;
}

export interface EffectPromise {
  /** `github/create_issue` */
  readonly target: string;
  readonly stated: Effect | undefined;
  /** Without the step. */
  readonly known: DecidedEffect | undefined;
  readonly hints: ToolHints | undefined;
}

/** Undefined if nothing speaks against the step's `effect`. */
export function brokenPromise({ target, stated, known, hints = {} }: EffectPromise): BrokenPromise | undefined {
  if (stated === undefined || stated === 'write') return undefined;
  const claim = known?.from === 'server' ? claimOfOperator(known.effect) : claimOfTool(target, stated, hints);
  if (claim === undefined || effectStrength[claim.likely] <= effectStrength[stated]) return undefined;
  const [, tool] = splitTarget(target);
  return {
    likely: claim.likely,
    claim: `${claim.by} \`${claim.says}\``,
    message: `The step says \`${stated}\`, and ${claim.by} \`${claim.says}\`. Baton makes such a call again after any failure, so a write could happen twice.`,
    hint: `leave \`effect\` out, or write \`${claim.likely}\`; if \`${stated}\` is right, say so for the server too: "effects": { ${quoted(tool)}: "${stated}" }`,
  };
}

interface EffectClaim {
  readonly by: string;
  readonly says: string;
  readonly likely: Effect;
}

const claimOfOperator = (effect: Effect): EffectClaim => ({
  by: 'the server configuration says',
  says: effect,
  likely: effect,
});

/**
 * Only what the tool says of reads: `idempotentHint: false` is MCP's default, which servers write out, and an author who
 * says `idempotent` knows more. A hint that is absent says nothing.
 */
function claimOfTool(target: string, stated: Effect, hints: ToolHints): EffectClaim | undefined {
  // MCP: the other hints mean something only for a tool that is not read-only.
  if (stated !== 'read' || hints.readOnlyHint === true) return undefined;
  const by = `the tool ${quoted(target)} says of itself`;
  const likely = hints.idempotentHint === true ? 'idempotent' : 'write';
  if (hints.destructiveHint === true) return { by, says: 'destructiveHint: true', likely };
  return hints.readOnlyHint === false ? { by, says: 'readOnlyHint: false', likely } : undefined;
}
