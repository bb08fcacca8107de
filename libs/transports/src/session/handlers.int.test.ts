/** What servers may ask of us: only what a handler answers, and the operator allows. */
import { createRequire } from 'node:module';

import { soon } from '@baton/testing';
import { expect, test } from 'vitest';

import { textOf, trial } from '../testing/testServers.ts';
import type { ServerRequest, Handlers } from './handlers.ts';

const everything = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/dist/index.js');

const entry = (baton: object) => ({ every: { command: process.execPath, args: [everything], baton } });

const answers = (heard: ServerRequest[]): Handlers => ({
  sampling: async (params, asked) => {
    heard.push(asked);
    const content = { type: 'text', text: `answered ${JSON.stringify(params['messages']).length > 2}` };
    return { role: 'assistant', content, model: 'none', stopReason: 'endTurn' };
  },
  elicitation: async () => ({ action: 'decline' }),
});

test('a server that may sample is answered, and told apart', async () => {
  const heard: ServerRequest[] = [];
  const { call, catalogue } = trial(entry({ sampling: 'allow', elicitation: 'ask' }), { handlers: answers(heard) });
  // It adds what needs a capability when it has seen that we have it.
  await soon(async () => {
    const names = (await catalogue('every')).tools.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['trigger-sampling-request', 'trigger-elicitation-request']));
  });
  const sampled = await call('every', 'trigger-sampling-request', { prompt: 'say hello', maxTokens: 20 });
  expect(textOf(sampled)).toContain('answered true');
  expect(heard).toMatchObject([{ server: 'every', session: 'every#1' }]);
  expect(JSON.stringify((await call('every', 'trigger-elicitation-request')).result)).toMatch(/declin/i);
});

test('a server that may not sample does not see the capability', async () => {
  const { failure } = trial(entry({}), { handlers: answers([]) });
  expect(await failure('every', 'trigger-sampling-request', { prompt: 'x' })).toMatchObject({ code: 'tool-not-found' });
});

test('without a handler no server sees the capability', async () => {
  const { failure } = trial(entry({ sampling: 'allow' }));
  expect(await failure('every', 'trigger-sampling-request', { prompt: 'x' })).toMatchObject({ code: 'tool-not-found' });
});
