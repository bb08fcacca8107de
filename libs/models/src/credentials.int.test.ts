import { FailureError } from '@baton/engine';
import { ModelsConfig } from '@baton/protocol';
import { callContext } from '@baton/testing';
import { expect, onTestFinished, test } from 'vitest';

import { createModels } from './createModels.ts';
import { noLookups } from './testing/noLookups.ts';
import { chat } from './testing/testDialects.ts';
import { startTestServer, type TestServer } from './testing/testServer.ts';

interface TestOptions {
  readonly provider: object;
  readonly secrets?: Record<string, string>;
  readonly environment?: Record<string, string>;
  readonly metadata?: { readonly userId: string };
}

async function ask({ provider, secrets = {}, environment = {}, metadata }: TestOptions): Promise<void> {
  const lookups = {
    ...noLookups,
    env: (name: string) => environment[name],
    secret: async (name: string) => secrets[name],
  };
  const models = createModels(ModelsConfig.parse({ providers: { it: provider } }), lookups);
  const messages = [{ role: 'user', content: { type: 'text', text: 'Hello' } }];
  await models.sample({ messages, ...(metadata === undefined ? {} : { metadata }) }, { context: callContext() });
}

async function listening(): Promise<TestServer> {
  const server = await startTestServer({ events: chat.events('Hello.'), after: 'end' });
  onTestFinished(() => server.close());
  return server;
}

const openai = (url: string): object => ({ kind: 'openai', api: 'chat', url, model: 'asked' });
const compatible = (url: string): object => ({ kind: 'openai-compatible', url, model: 'asked' });

test('secrets and variables are looked up at each request, in every field', async () => {
  const { url, asked } = await listening();
  const provider = {
    kind: 'openai-compatible',
    url: '${env:MODELS_URL}',
    apiKey: '${secret:KEY}',
    headers: { 'x-team': 'team ${secret:TEAM}' },
    model: 'asked',
  };
  await ask({ provider, secrets: { KEY: 'k1', TEAM: 'seven' }, environment: { MODELS_URL: url } });
  expect(asked[0]?.headers).toMatchObject({ authorization: 'Bearer k1', 'x-team': 'team seven' });
});

test('the usual variable holds the key of a provider that everyone knows', async () => {
  const { url, asked } = await listening();
  await ask({ provider: openai(url), environment: { OPENAI_API_KEY: 'k2' } });
  expect(asked[0]?.headers).toMatchObject({ authorization: 'Bearer k2' });
});

test('a server of one’s own needs no key, and gets none', async () => {
  const { url, asked } = await listening();
  await ask({ provider: compatible(url), environment: { OPENAI_API_KEY: 'k3' } });
  expect(asked[0]?.headers).not.toHaveProperty('authorization');
});

test('only the end user’s id of the metadata is sent', async () => {
  const { url, asked } = await listening();
  const metadata = { userId: 'u1', logprobs: true };
  await ask({ provider: { ...openai(url), apiKey: 'k' }, metadata });
  expect(asked[0]?.body).toMatchObject({ user: 'u1' });
  expect(asked[0]?.body).not.toHaveProperty('logprobs');
});

test.each([
  [{ kind: 'anthropic', model: 'm' }, 'the environment variable ANTHROPIC_API_KEY'],
  [{ ...openai('http://127.0.0.1:1'), apiKey: '${secret:KEY}' }, 'the secret KEY'],
])('what is referred to and not there is said by name: %j', async (provider, what) => {
  await expect(ask({ provider })).rejects.toMatchObject({
    failure: { code: 'model-failed', message: `The provider it needs ${what}, which is not set.` },
    delivery: 'unsent',
  });
});

test('a secret that cannot be looked up now may be later', async () => {
  const config = ModelsConfig.parse({
    providers: { it: { ...openai('http://127.0.0.1:1'), apiKey: '${secret:KEY}' } },
  });
  const models = createModels(config, {
    ...noLookups,
    secret: () => Promise.reject(new Error('the database is away')),
  });
  const messages = [{ role: 'user', content: { type: 'text', text: 'Hello' } }];
  await expect(models.sample({ messages }, { context: callContext() })).rejects.toMatchObject({
    failure: { code: 'model-unavailable', message: 'The secret KEY cannot be looked up now.' },
    delivery: 'unsent',
  });
});

test('a secret is looked up for the provider, which cannot use one that is bound to others', async () => {
  const config = ModelsConfig.parse({
    providers: { it: { ...openai('http://127.0.0.1:1'), apiKey: '${secret:KEY}' } },
  });
  const models = createModels(config, {
    ...noLookups,
    secret: (name, receiver) => {
      throw new FailureError('server-unreachable', `${name} is not for ${receiver}.`);
    },
  });
  const messages = [{ role: 'user', content: { type: 'text', text: 'Hello' } }];
  await expect(models.sample({ messages }, { context: callContext() })).rejects.toMatchObject({
    failure: { code: 'model-failed', message: 'KEY is not for models/it.' },
    delivery: 'unsent',
  });
});

test('to a provider that does not listen nothing was sent', async () => {
  const { url, close } = await startTestServer('silence');
  await close();
  await expect(ask({ provider: compatible(url) })).rejects.toMatchObject({
    failure: { code: 'model-unavailable' },
    delivery: 'unsent',
  });
});

test('where no provider is configured, it is said how to', async () => {
  const models = createModels(ModelsConfig.parse({}), noLookups);
  const messages = [{ role: 'user', content: { type: 'text', text: 'Hello' } }];
  await expect(models.sample({ messages }, { context: callContext() })).rejects.toMatchObject({
    failure: { code: 'model-failed' },
    message: 'No model can be asked: mcp.json names no provider under models.providers.',
  });
});
