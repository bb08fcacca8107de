/** Tools that work in the background. */
import type { JsonObject } from '@baton/primitives';
import { soon } from '@baton/testing';
import { describe, expect, test } from 'vitest';

import { json, listening, messageOf, rpc, text, toolOf, type Message } from '../testing/testHttp.ts';
import { textOf, trial } from '../testing/testServers.ts';
import { sseTrial } from '../testing/testSse.ts';

/** A server of 2025-11-25 whose tools are named after how their task goes. */
async function first() {
  const polls = new Map<unknown, number>();
  const server = await sseTrial(({ id, method, params }, peer) => {
    if (id === undefined) return;
    const taskId = params?.['taskId'];
    const say = (result: unknown): void => peer.say(rpc(id, result));
    const task = (status: string, statusMessage = ''): JsonObject => ({
      taskId: typeof taskId === 'string' ? taskId : toolOf(params),
      status,
      statusMessage,
      pollInterval: 1,
    });
    if (method === 'tools/list') {
      const inputSchema = { type: 'object' };
      say({ tools: [{ name: 'known', inputSchema, execution: { taskSupport: 'required' } }] });
    } else if (method === 'tools/call' && params?.['task'] === undefined) {
      const refused = 'MCP error -32601: this tool requires task augmentation (taskSupport: required)';
      say({ isError: true, content: [{ type: 'text', text: refused }] });
    } else if (method === 'tools/call') say({ task: task('working') });
    else if (method === 'tasks/get') {
      const asked = (polls.get(taskId) ?? 0) + 1;
      polls.set(taskId, asked);
      if (taskId === 'lost') peer.cut();
      else if (asked < 3 || taskId === 'endless') say(task('working', `step ${asked}`));
      else say(task(taskId === 'given-up' ? 'cancelled' : 'completed'));
    } else if (method === 'tasks/result') say(text(`the result of ${JSON.stringify(taskId)}`));
    else say({});
  });
  const methods = (): unknown[] => server.heard.map(({ method }) => method).filter((method) => method !== undefined);
  return { ...trial({ old: server.entry }, { limits: { pingMs: 5_000, graceMs: 100 } }), methods };
}

describe('tasks of 2025-11-25', () => {
  test('a tool that says so is called as one, asked about, and its result fetched', async () => {
    const { call, catalogue, methods } = await first();
    await catalogue('old');
    const heard: unknown[] = [];
    const onProgress = (progress: { message?: string }): void => void heard.push(progress.message);
    expect(textOf(await call('old', 'known', {}, { onProgress }))).toBe('the result of "known"');
    expect(methods().filter((method) => method === 'tools/call')).toHaveLength(1);
    expect(heard).toEqual([undefined, 'step 1', 'step 2']);
  });

  test('a tool that was not known to need a task is called again as one: it had not run', async () => {
    const { call, methods } = await first();
    expect(textOf(await call('old', 'surprising'))).toBe('the result of "surprising"');
    expect(methods().filter((method) => method === 'tools/call')).toHaveLength(2);
  });

  test('a task that the server gives up is a failure', async () => {
    const { failure } = await first();
    expect(await failure('old', 'given-up')).toMatchObject({ code: 'tool-failed', delivery: 'answered' });
  });

  test('stopping the call stops the task', async () => {
    const { failure, methods } = await first();
    const stop = new AbortController();
    const onProgress = ({ progress }: { progress: number }): void => (progress > 2 ? stop.abort('enough') : undefined);
    const failed = failure('old', 'endless', {}, { signal: stop.signal, onProgress });
    expect(await failed).toMatchObject({ code: 'cancelled', delivery: 'unknown' });
    await soon(() => expect(methods()).toContain('tasks/cancel'));
  });

  test('the time limit of the call also limits the task', async () => {
    const { failure, methods } = await first();
    const failed = await failure('old', 'endless', {}, { timeout: { totalMs: 2_000 } });
    expect(failed).toMatchObject({ code: 'timeout', delivery: 'unknown' });
    await soon(() => expect(methods()).toContain('tasks/cancel'));
  });

  test('a connection that ends under a task leaves its outcome unknown, and nothing is begun twice', async () => {
    const { failure, methods } = await first();
    expect(await failure('old', 'lost')).toMatchObject({ code: 'connection-lost', delivery: 'unknown' });
    // Once to find out that it wants to be a task, once as one.
    expect(methods().filter((method) => method === 'tools/call')).toHaveLength(2);
  });
});

describe('the tasks extension of 2026-07-28', () => {
  async function later() {
    const heard: Message[] = [];
    const base = await listening((request, response) => {
      void messageOf(request).then((message) => {
        const { id, method, params } = message;
        heard.push(message);
        const times = heard.filter((one) => one.method === method).length;
        const complete = (result: object): void => json(response, rpc(id, { resultType: 'complete', ...result }));
        const task = { taskId: 'T', createdAt: '', lastUpdatedAt: '', ttlMs: null, pollIntervalMs: 1 };
        const elicit = {
          method: 'elicitation/create',
          params: { message: 'who?', requestedSchema: { type: 'object' } },
        };
        if (method === 'server/discover') {
          complete({ supportedVersions: ['2026-07-28'], capabilities: { tools: {} }, ttlMs: 0, cacheScope: 'private' });
        } else if (method === 'tools/call') json(response, rpc(id, { resultType: 'task', status: 'working', ...task }));
        else if (method === 'tasks/update') complete({});
        else if (toolOf(heard.find((one) => one.method === 'tools/call')?.params) === 'fails') {
          complete({ ...task, status: 'failed', error: { code: -32603, message: 'out of paper' } });
        } else if (times === 1) complete({ ...task, status: 'input_required', inputRequests: { who: elicit } });
        else
          complete({ ...task, status: 'completed', result: text(`done after ${JSON.stringify(params?.['taskId'])}`) });
      });
    });
    const handlers = { elicitation: async () => ({ action: 'accept', content: { name: 'Ada' } }) };
    const entry = { url: `${base}/mcp`, baton: { elicitation: 'ask' } };
    return { ...trial({ modern: entry }, { handlers }), heard };
  }

  test('a task that the server makes of a call is followed, and told what it wants to know', async () => {
    const { call, heard } = await later();
    expect(textOf(await call('modern', 'report'))).toBe('done after "T"');
    const update = heard.find(({ method }) => method === 'tasks/update');
    expect(update?.params).toMatchObject({ inputResponses: { who: { action: 'accept', content: { name: 'Ada' } } } });
    const declared = heard.find(({ method }) => method === 'tools/call')?.params?.['_meta'];
    expect(JSON.stringify(declared)).toContain('"io.modelcontextprotocol/tasks":{}');
  });

  test('one that fails says why', async () => {
    const { failure } = await later();
    const failed = await failure('modern', 'fails');
    expect(failed).toMatchObject({ code: 'server-error', delivery: 'answered' });
    expect(failed.message).toContain('out of paper');
  });
});
