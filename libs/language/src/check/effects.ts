/** What calling a tool does, as far as the check knows. */
import { quoted } from '@baton/expressions';

import type { DecidedEffect, Effect } from '../plan.ts';
import { brokenPromise } from '../servers/effectPromise.ts';
import { effectStated } from '../servers/effectStated.ts';
import type { OfferedTool } from '../servers/offer.ts';
import { splitTarget } from '../servers/splitTarget.ts';
import type { CheckRun } from './checkRun.ts';

export interface ToolCall {
  readonly tool: string;
  readonly effect?: Effect | undefined;
}

/** The step's `effect`, else the tool's. */
export const effectOf = (checking: CheckRun, step: ToolCall): DecidedEffect =>
  effectStated(step.effect, effectWithoutStep(checking, step.tool) ?? { effect: 'write', from: 'default' });

export function effectWithoutStep({ effects }: CheckRun, target: string): DecidedEffect | undefined {
  return effects?.(...splitTarget(target));
}

function offeredTool({ servers }: CheckRun, target: string): OfferedTool | undefined {
  const [server, name] = splitTarget(target);
  const offer = servers?.get(server);
  return offer?.kind === 'known' ? offer.tools.find((one) => one.name === name) : undefined;
}

export function checkPromise(checking: CheckRun, { tool: target, effect: stated }: ToolCall, pointer: string): void {
  const hints = offeredTool(checking, target)?.annotations;
  const broken = brokenPromise({ target, stated, known: effectWithoutStep(checking, target), hints });
  if (broken === undefined) return;
  const { message, likely: expected, hint } = broken;
  checking.report({ code: 'effect-understated', pointer, message, expected, found: stated, hint });
}

/**
 * Undefined unless the call is known to write. The default alone does not count for a tool whose server was not asked.
 */
export function knownWrite(
  checking: CheckRun,
  target: string,
  { effect, from }: DecidedEffect,
): { readonly mayDestroy: boolean } | undefined {
  if (effect !== 'write') return undefined;
  const tool = offeredTool(checking, target);
  if (tool === undefined) return from === 'default' ? undefined : { mayDestroy: true };
  // A tool may say that it only adds.
  return { mayDestroy: tool.annotations?.destructiveHint !== false };
}

/** Why the call may be more than a read; undefined: it only reads, or its server was not asked. */
function whyNoRead(checking: CheckRun, call: ToolCall): string | undefined {
  const { tool: target, effect: stated } = call;
  const known = effectWithoutStep(checking, target);
  const offered = offeredTool(checking, target);
  const broken = brokenPromise({ target, stated, known, hints: offered?.annotations });
  if (broken !== undefined) return broken.claim;
  const { effect, from } = effectOf(checking, call);
  if (effect === 'read' || (from === 'default' && offered === undefined)) return undefined;
  return from === 'default' ? 'nothing says that it only reads' : `it is \`${effect}\` ${sourceOf[from]}`;
}

const sourceOf: Readonly<Record<Exclude<DecidedEffect['from'], 'default'>, string>> = {
  step: 'by `effect` of the step',
  server: 'by the server configuration',
  annotations: 'by its annotations',
};

const readers = { 'check-writes': 'A check', 'ensure-writes': '`ensure`', 'poll-not-a-read': 'A poll' } as const;

/** What finds something out and may write would change what it is to find out. `named`: the place of the tool's name. */
export function checkReads(checking: CheckRun, code: keyof typeof readers, call: ToolCall, named: string): void {
  const why = whyNoRead(checking, call);
  if (why === undefined) return;
  const message = `${readers[code]} only reads, and the tool ${quoted(call.tool)} may write: ${why}.`;
  const tool = quoted(splitTarget(call.tool)[1]);
  const hint = `name a tool that reads; if this one does, say so for the server: "effects": { ${tool}: "read" }`;
  checking.report({ code, pointer: named, message, expected: 'a read', hint });
}
