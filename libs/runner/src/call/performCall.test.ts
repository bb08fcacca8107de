import type { Call } from '@baton/engine';
import type { Effect, ToolStep } from '@baton/language';
import { planOf } from '@baton/testing';
import { expect, test } from 'vitest';

import { systemClock } from '../ports/clock.ts';
import type { Ports } from '../ports/ports.ts';
import { KnownSecrets } from '../redact/knownSecrets.ts';
import { BlobCache } from '../values/blobCache.ts';
import type { CallEnvironment } from './performCall.ts';
import { performCall } from './performCall.ts';

type ToolCall = Extract<Call, { verb: 'tool' }>;

/** Makes the call of `s`, a step of run `r`. */
async function perform(callTool: Ports['calls']['callTool'], call: ToolCall, attempt: number): Promise<void> {
  const plan = planOf('workflow: w\nsteps:\n  - { id: s, tool: a/b }\n');
  const step = plan.steps.steps[0] as ToolStep;
  const ports = { calls: { callTool }, clock: systemClock, known: new KnownSecrets() } as unknown as Ports;
  const performance = {
    plan,
    run: { id: 'r' },
    signal: new AbortController().signal,
    valueSources: { cache: new BlobCache(0), fetched: new Map() },
  } as unknown as CallEnvironment;
  await performCall(ports, { kind: 'call', path: 's', attempt, call, step }, performance);
}

/** The key that goes with an attempt. */
async function keySent(effect: Effect, attempt: number, idempotencyKey?: string): Promise<string | undefined> {
  const sent: (string | undefined)[] = [];
  const callTool: Ports['calls']['callTool'] = async (call) => {
    sent.push(call.idempotencyKey);
    return { result: { content: [] } };
  };
  const key = idempotencyKey === undefined ? {} : { idempotencyKey };
  const call = { verb: 'tool', server: 'a', tool: 'b', arguments: { json: {} }, effect, ...key } as const;
  await perform(callTool, call, attempt);
  return sent[0];
}

test('a write sends a key of its own, the same for each attempt', async () => {
  expect(await keySent('write', 1)).toBe('r/s');
  expect(await keySent('write', 2)).toBe('r/s');
});

test('the author’s key goes before it, and what is no write sends none', async () => {
  expect(await keySent('write', 1, 'mine')).toBe('mine');
  expect(await keySent('read', 1)).toBeUndefined();
  expect(await keySent('idempotent', 1)).toBeUndefined();
});

test('what was added to the arguments is sent with them, and what the author wrote goes before', async () => {
  const sent: unknown[] = [];
  const callTool: Ports['calls']['callTool'] = async (call) => {
    sent.push(call.arguments);
    return { result: { content: [] } };
  };
  const added = { scale: 'css', n: 0 };
  const call = { verb: 'tool', server: 'a', tool: 'b', arguments: { json: { n: 1 } }, effect: 'write', added } as const;
  await perform(callTool, call, 1);
  expect(sent).toEqual([{ scale: 'css', n: 1 }]);
});
