/** The pins of a definition: for each tool that it names, the definition that it was checked against. */
import { type DecidedEffect, type Workflow, targetsOf } from '@baton/language';
import {
  type LiveTool,
  type PinnedTool,
  type ServerPolicy,
  decideEffect,
  driftOf,
  driftText,
  keptDefinition,
  type Tool,
} from '@baton/protocol';
import type { Pin, Pins } from '@baton/store';

import type { ServerAnswer } from './catalogueCache.ts';

/** The effect by the operator and the server; the step's own `effect` overrides it. */
export function effectOf(name: string, tool: Tool | undefined, policy: ServerPolicy): DecidedEffect {
  const { effects, trust, idempotency } = policy;
  const decided = decideEffect({ tool: name, effects, trust, annotations: tool?.annotations });
  const isHonoured = typeof idempotency === 'object' ? takes(tool, idempotency.argument) : idempotency !== undefined;
  return isHonoured && idempotency !== undefined ? { ...decided, idempotency } : decided;
}

/** Whether the tool has this argument: an idempotency key in an unknown argument would have no effect. */
function takes(tool: Tool | undefined, argument: string): boolean {
  const { properties } = tool?.inputSchema ?? {};
  return typeof properties === 'object' && properties !== null && Object.hasOwn(properties, argument);
}

function pinnedTool(tool: Tool): PinnedTool {
  const definition = keptDefinition(tool);
  return { ...tool.digests, ...(definition === undefined ? {} : { definition }) };
}

/** A sentence for each tool that differs from the previous version's pin, unless the policy is to accept. */
export function driftSince(before: Pins, answers: ReadonlyMap<string, ServerAnswer>): ReadonlyMap<string, string> {
  const live = new Map<string, LiveTool | null>();
  for (const key of Object.keys(before)) {
    const answer = answers.get(key.slice(0, key.indexOf('/')));
    if (answer?.tools === undefined || answer.policy.tools === 'accept') continue;
    const wanted = key.slice(key.indexOf('/') + 1);
    live.set(key, answer.tools.find(({ name }) => name === wanted) ?? null);
  }
  return new Map(driftOf(before, live).map((drift) => [drift.tool, driftText(drift)]));
}

/** For a server that did not answer, the pins of `before` still count. */
export function pinsOf(workflow: Workflow, answers: ReadonlyMap<string, ServerAnswer>, before: Pins): Pins {
  const pins = targetsOf(workflow).flatMap(({ kind, server, name }): [string, Pin][] => {
    const answer = answers.get(server);
    if (kind !== 'tool' || name === undefined || answer === undefined) return [];
    const key = `${server}/${name}`;
    const tool = answer.tools?.find((one) => one.name === name);
    const known = Object.hasOwn(before, key) ? before[key] : undefined;
    if (answer.tools === undefined && known !== undefined) return [[key, known]];
    return [[key, { ...effectOf(name, tool, answer.policy), ...(tool && pinnedTool(tool)) }]];
  });
  return Object.fromEntries(pins);
}
