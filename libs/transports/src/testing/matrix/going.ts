/** For the matrix: calls in progress, and their sessions. */
import type { JsonObject } from '@baton/primitives';
import { soon } from '@baton/testing';
import { expect } from 'vitest';

import { textOf } from '../testServers.ts';
import { absent, answered, said, type CellCheck, type Feature, type CellUse } from './cell.ts';

const long = 'trigger-long-running-operation';
const sleep = { sql: 'select pg_sleep(60)' };
const patience = { limits: { graceMs: 100 } };

/** Checks that the server still works. */
type StillThere = (use: Pick<CellUse, 'it'>) => Promise<unknown>;
const postgresThere: StillThere = async (use) => expect(await said(use, 'query', { sql: 'select 7' })).toContain('7');
const everythingThere: StillThere = async (use) => expect(await said(use, 'echo', { message: 'a' })).toBe('Echo: a');
const modernThere: StillThere = async (use) => expect(await said(use, 'echo', { message: 'a' })).toBe('a');

const stopped = (tool: string, args: JsonObject, stillThere: StillThere): CellCheck<CellUse> => {
  return async ({ open }) => {
    const it = open({}, patience);
    // A call that is stopped before it leaves is `unsent`; the test cannot see when it leaves, so it tries again.
    await soon(async () => {
      const stop = new AbortController();
      const failing = it.failure('it', tool, args, { signal: stop.signal });
      await stillThere({ it });
      stop.abort('enough');
      expect(await failing).toMatchObject({ code: 'cancelled', delivery: 'unknown' });
    });
    await stillThere({ it });
  };
};

const late = (tool: string, args: JsonObject, stillThere: StillThere): CellCheck<CellUse> => {
  return async ({ open }) => {
    const it = open({}, patience);
    await stillThere({ it });
    const failed = await it.failure('it', tool, args, { timeout: { totalMs: 200 } });
    expect(failed).toMatchObject({ code: 'timeout', delivery: 'unknown' });
    await stillThere({ it });
  };
};

/** A session that was not used for a while gets a ping first, and is then used again. */
const awake = (tool: string, args: JsonObject): CellCheck<CellUse> => {
  return async ({ open }) => {
    const it = open({}, { limits: { sleepMs: 0 } });
    const first = await it.call('it', tool, args);
    const second = await it.call('it', tool, args);
    expect(second.session?.session).toBe(first.session?.session);
  };
};

const scopes = { shared: 1, run: 2, call: 4 } as const;

const shared = (tool: string, args: JsonObject): CellCheck<CellUse> => {
  return async ({ open }) => {
    for (const [scope, sessions] of Object.entries(scopes)) {
      const { call, calls, status } = open({ scope });
      const runs = ['a', 'b', 'a', 'b'];
      const all = await Promise.all(runs.map((runId) => call('it', tool, args, { runId })));
      expect(new Set(all.map(({ session }) => session?.session)).size).toBe(sessions);
      for (const runId of runs) calls.release(runId);
      const left = scope === 'shared' ? 1 : 0;
      await soon(() => expect(status()).toMatchObject([{ sessions: { open: left } }]));
    }
  };
};

export const going = {
  progress: {
    'server-postgres': absent('server-postgres tells of none'),
    'server-everything': async ({ it }) => {
      const heard: unknown[] = [];
      await it.call('it', long, { duration: 0.1, steps: 2 }, { onProgress: (one) => heard.push(one) });
      expect(heard).toEqual([1, 2].map((progress) => ({ progress, total: 2 })));
    },
    modern: async ({ it }) => {
      const heard: unknown[] = [];
      await it.call('it', 'count', {}, { onProgress: (one) => heard.push(one) });
      expect(heard).toEqual([1, 2].map((progress) => ({ progress, total: 2 })));
    },
    plain: absent('an answer is all that ever comes back'),
    device: absent('a call is answered by one result, and nothing before it'),
  },

  'a call that is stopped': {
    'server-postgres': stopped('query', sleep, postgresThere),
    'server-everything': stopped(long, { duration: 60, steps: 6 }, everythingThere),
    modern: stopped('hang', {}, modernThere),
    // The protocol cannot stop a call: only Baton gives it up.
    device: async (use) => {
      const stop = new AbortController();
      const failing = use.it.failure('it', 'open', { speed: 2 }, { signal: stop.signal });
      await use.device.nextCall();
      stop.abort('enough');
      expect(await failing).toMatchObject({ code: 'cancelled', delivery: 'unknown' });
      expect(textOf(await answered(use, { success: true, data: 'still here' }))).toBe('still here');
    },
  },

  'a call that takes too long': {
    'server-postgres': late('query', sleep, postgresThere),
    'server-everything': late(long, { duration: 60, steps: 6 }, everythingThere),
    modern: late('hang', {}, modernThere),
    device: async (use) => {
      const timeout = { totalMs: 50 };
      const failing = use.it.failure('it', 'open', { speed: 2 }, { timeout });
      const { id } = await use.device.nextCall();
      expect(await failing).toMatchObject({ code: 'timeout', delivery: 'unknown' });
      // A late answer belongs to no call, and is not taken for the next one's.
      use.device.answer(id, { success: true, data: 'too late' });
      expect(textOf(await answered(use, { success: true, data: 'in time' }))).toBe('in time');
    },
  },

  ping: {
    'server-postgres': awake('query', { sql: 'select 7' }),
    'server-everything': awake('echo', { message: 'a' }),
    modern: absent('2026-07-28 has no ping, nor anything that could be asleep', awake('echo', { message: 'a' })),
    device: absent('a device has no message for it; that it is gone is known by its connection', async (use) => {
      use.device.socket.destroy();
      await soon(() => expect(use.it.status()).toMatchObject([{ state: 'failing' }]));
      expect(await use.it.failure('it', 'open', { speed: 2 })).toMatchObject({ code: 'server-unreachable' });
    }),
  },

  tasks: {
    'server-postgres': absent('came with 2025-11-25'),
    'server-everything': async ({ it }) => {
      const heard: string[] = [];
      const onProgress = ({ message = '' }: { message?: string }): void => void heard.push(message);
      const found = await it.call('it', 'simulate-research-query', { topic: 'mcp' }, { onProgress });
      expect(textOf(found)).toContain('Research Report: mcp');
      expect(heard).toContainEqual(expect.stringContaining('sources'));
    },
    modern: absent('the SDK makes no server of the extension; tasks.int.test.ts has one by hand'),
    device: absent('a call is answered by one result, and nothing before it'),
  },

  'sessions: shared, of a run, of a call': {
    'server-postgres': shared('query', { sql: 'select 7' }),
    'server-everything': shared('echo', { message: 'a' }),
    modern: shared('echo', { message: 'a' }),
    device: absent('a device has the one connection that it made'),
  },
} satisfies Readonly<Record<string, Feature>>;
