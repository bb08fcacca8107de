/** A server of 2025-11-25 that may ask a person: whose call its question is about. */
import { createRequire } from 'node:module';

import { soon } from '@baton/testing';
import { expect, test } from 'vitest';

import type { Handlers } from '../session/handlers.ts';
import { trial } from '../testing/testServers.ts';

const everything = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/dist/index.js');

interface Asked {
  readonly runs: readonly string[];
  readonly session: string;
}

function asking(baton: object = {}) {
  const asked: Asked[] = [];
  const gate = Promise.withResolvers<void>();
  const elicitation: Handlers['elicitation'] = async (_, { runs, session, signal }) => {
    asked.push({ runs, session });
    await Promise.race([gate.promise, new Promise((resolve) => signal.addEventListener('abort', resolve))]);
    return { action: 'decline' };
  };
  const entry = { command: process.execPath, args: [everything], baton: { elicitation: 'ask', ...baton } };
  const servers = trial({ every: entry }, { handlers: { elicitation } });
  const ask = (runId: string, signal?: AbortSignal) =>
    servers.call('every', 'trigger-elicitation-request', {}, { runId, ...(signal === undefined ? {} : { signal }) });
  return { ...servers, asked, gate, ask };
}

test('the questions of two runs are asked at the same time, each of its own run', async () => {
  const { asked, gate, ask } = asking();
  const calls = ['a', 'b'].map((runId) => ask(runId));
  await soon(() => expect(asked).toHaveLength(2));
  expect(new Set(asked.map(({ runs }) => runs.join()))).toEqual(new Set(['a', 'b']));
  expect(new Set(asked.map(({ session }) => session)).size).toBe(2);
  gate.resolve();
  await Promise.all(calls);
});

test('calls of one run share a session', async () => {
  const { asked, gate, ask } = asking();
  const calls = ['a', 'a'].map((runId) => ask(runId));
  await soon(() => expect(asked).toHaveLength(2));
  expect(new Set(asked.map(({ session }) => session)).size).toBe(1);
  gate.resolve();
  await Promise.all(calls);
});

test('A call of another run waits on a server with one session until the question is answered', async () => {
  const { asked, gate, ask, status } = asking({ sessions: 1 });
  const first = ask('a');
  await soon(() => expect(asked).toHaveLength(1));
  const second = ask('b');
  await soon(() => expect(status()).toMatchObject([{ waiting: 1 }]));
  // Nor does a further call of the first run pass it.
  const third = ask('a');
  await soon(() => expect(status()).toMatchObject([{ waiting: 2 }]));
  gate.resolve();
  await Promise.all([first, second, third]);
  expect(asked.map(({ runs }) => runs)).toEqual([['a'], ['b'], ['a']]);
});

test('a session on which a call ended without an answer serves no other run', async () => {
  const { asked, ask, call } = asking({ sessions: 1 });
  const stop = new AbortController();
  const first = ask('a', stop.signal);
  first.catch(() => {});
  await soon(() => expect(asked).toHaveLength(1));
  stop.abort();
  await expect(first).rejects.toMatchObject({ code: 'cancelled' });
  const { session } = await call('every', 'echo', { message: 'x' }, { runId: 'b' });
  expect(session?.session).not.toBe(asked[0]?.session);
});
