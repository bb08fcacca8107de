import type { Effect, ToolStep } from '@baton/language';
import { planOf } from '@baton/testing';
import { expect, test } from 'vitest';

import { BlobCache } from './blobCache.ts';
import { systemClock } from './clock.ts';
import type { CallEnvironment } from './performCall.ts';
import { performCall } from './performCall.ts';
import type { Ports } from './ports.ts';
import { KnownSecrets } from './redact/knownSecrets.ts';

/** The key that goes with an attempt of `s`, a step of run `r`. */
async function keySent(effect: Effect, attempt: number, idempotencyKey?: string): Promise<string | undefined> {
  const sent: (string | undefined)[] = [];
  const callTool: Ports['calls']['callTool'] = async (call) => {
    sent.push(call.idempotencyKey);
    return { result: { content: [] } };
  };
  const plan = planOf('workflow: w\nsteps:\n  - { id: s, tool: a/b }\n');
  const step = plan.steps.steps[0] as ToolStep;
  const key = idempotencyKey === undefined ? {} : { idempotencyKey };
  const call = { verb: 'tool', server: 'a', tool: 'b', arguments: { json: {} }, effect, ...key } as const;
  const ports = { calls: { callTool }, clock: systemClock, known: new KnownSecrets() } as unknown as Ports;
  const performance = {
    plan,
    run: { id: 'r' },
    signal: new AbortController().signal,
    valueSources: { cache: new BlobCache(0), fetched: new Map() },
  } as unknown as CallEnvironment;
  await performCall(ports, { kind: 'call', path: 's', attempt, call, step }, performance);
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
