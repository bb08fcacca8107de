/**
 * Goal: an answer, or a failure that says truly whether asking again can help, from every provider and after every fault
 * on the way.
 * Method: a local HTTP server that speaks each provider's wire format, and breaks off, hangs, refuses and talks rubbish.
 */
import type { FailureError } from '@baton/engine';
import { type JsonObject, defined } from '@baton/primitives';
import { ModelsConfig } from '@baton/protocol';
import type { Progress } from '@baton/runner';
import { callContext } from '@baton/testing';
import { describe, expect, onTestFinished, test } from 'vitest';

import { createModels } from './createModels.ts';
import { noLookups } from './testing/noLookups.ts';
import { anthropic, apiKey, type Dialect, dialects } from './testing/testDialects.ts';
import { type ReceivedRequest, type ScriptedReply, startTestServer } from './testing/testServer.ts';

const question = {
  systemPrompt: 'Be brief.',
  messages: [
    { role: 'user', content: { type: 'text', text: 'What is two and two?' } },
    { role: 'assistant', content: { type: 'text', text: 'Four.' } },
    { role: 'user', content: { type: 'text', text: 'And three?' } },
  ],
  maxTokens: 50,
} satisfies JsonObject;

const output = {
  type: 'object',
  properties: { sum: { type: 'integer', maximum: 9 }, note: { type: 'string' } },
  required: ['sum'],
} satisfies JsonObject;

interface TestOptions {
  readonly replies: readonly ScriptedReply[];
  readonly request?: JsonObject;
  readonly output?: JsonObject;
  readonly timeout?: { readonly idleMs?: number; readonly totalMs?: number };
  readonly signal?: AbortSignal;
  readonly more?: JsonObject;
}

type Sampled = Awaited<ReturnType<ReturnType<typeof createModels>['sample']>>;

async function askOver(dialect: Dialect, given: TestOptions): Promise<Asking> {
  const server = await startTestServer(...given.replies);
  onTestFinished(() => server.close());
  const config = ModelsConfig.parse({ providers: { it: { ...dialect.config(server.url), ...given.more } } });
  const progress: Progress[] = [];
  const sampled = createModels(config, noLookups).sample(given.request ?? question, {
    ...defined({ output: given.output }),
    context: callContext({
      ...defined({ signal: given.signal, timeout: given.timeout }),
      onProgress: (one) => progress.push(one),
    }),
  });
  // Looked at by the test, which may first wait for something else.
  sampled.catch(() => undefined);
  return { sampled, asked: server.asked, progress };
}

interface Asking {
  readonly sampled: Promise<Sampled>;
  readonly asked: readonly ReceivedRequest[];
  readonly progress: readonly Progress[];
}

async function failureOver(dialect: Dialect, given: TestOptions): Promise<FailureError & { requests: number }> {
  const { sampled, asked } = await askOver(dialect, given);
  const failure = await sampled.then(
    () => expect.unreachable('there was an answer'),
    (error: FailureError) => error,
  );
  expect(failure.name).toBe('FailureError');
  expect(failure.message).not.toContain(apiKey);
  return Object.assign(failure, { requests: asked.length });
}

describe.each(dialects)('over $name', (dialect) => {
  const whole = (text: string, stop?: 'end' | 'length'): ScriptedReply => ({
    events: dialect.events(text, stop),
    after: 'end',
  });

  test('a request is sent unchanged, and its answer has MCP’s form', async () => {
    const { sampled, asked, progress } = await askOver(dialect, {
      replies: [whole('Seven, I think.')],
      more: { models: { [String(dialect.config('').model)]: { price: { input: 2, output: 10 } } } },
    });
    const usage = { inputTokens: 11, outputTokens: 7, usd: 0.000092 };
    expect(await sampled).toEqual({
      usage: { ...usage, model: `it/${String(dialect.config('').model)}` },
      result: {
        role: 'assistant',
        content: { type: 'text', text: 'Seven, I think.' },
        model: 'answering',
        stopReason: 'endTurn',
        usage,
      },
    });
    expect(asked.map(({ path }) => path)).toEqual([dialect.path]);
    expect(asked[0]?.headers[dialect.keyHeader]).toContain(apiKey);
    const sent = JSON.stringify(asked[0]?.body);
    for (const text of ['Be brief.', 'What is two and two?', 'Four.', 'And three?', ':50'])
      expect(sent).toContain(text);
    expect(progress.map((one) => one.progress)).toEqual([2, 3, 4]);
  });

  test('an answer that reached its limit says so', async () => {
    const { sampled } = await askOver(dialect, { replies: [whole('Seven, I', 'length')] });
    expect((await sampled).result).toMatchObject({ stopReason: 'maxTokens', content: { text: 'Seven, I' } });
  });

  test('text after a stop sequence is cut off if the provider does not do it', async () => {
    const { sampled } = await askOver(dialect, {
      replies: [whole('Seven. END of it')],
      request: { ...question, stopSequences: ['END', 'of'] },
    });
    expect((await sampled).result).toMatchObject({ stopReason: 'stopSequence', content: { text: 'Seven. ' } });
  });

  test('pictures go along as data', async () => {
    const data = Buffer.from('no picture at all').toString('base64');
    const { sampled, asked } = await askOver(dialect, {
      replies: [whole('A cat.')],
      request: {
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: 'What is this?' },
              { type: 'image', data, mimeType: 'image/png' },
              { type: 'resource', resource: { uri: 'file:///notes.txt', text: 'found in the kitchen' } },
            ],
          },
        ],
      },
    });
    await sampled;
    const sent = JSON.stringify(asked[0]?.body);
    for (const text of [data, 'image/png', 'found in the kitchen']) expect(sent).toContain(text);
  });

  test('too many requests: the failure says when to retry, and no request is sent before', async () => {
    const refused = { error: { type: 'rate_limit_error', message: `slow down, ${apiKey}` } };
    const failure = await failureOver(dialect, {
      replies: [{ status: 429, headers: { 'retry-after': '7' }, json: refused }],
    });
    expect(failure).toMatchObject({
      failure: { code: 'model-unavailable', details: { status: 429 } },
      delivery: 'rejected',
      retryAfterMs: 7_000,
      requests: 1,
    });
    expect(failure.message).toContain('slow down');
  });

  test.each([
    [500, 'model-unavailable', 'unknown'],
    [529, 'model-unavailable', 'rejected'],
    [400, 'model-failed', 'rejected'],
    [401, 'model-failed', 'rejected'],
    [404, 'model-failed', 'rejected'],
  ])('HTTP %i is %s, %s', async (status, code, delivery) => {
    const reply = { status, json: { error: { type: 'some_error', message: 'because' } } };
    const failure = await failureOver(dialect, { replies: [reply] });
    expect(failure).toMatchObject({ failure: { code }, delivery, retryAfterMs: undefined, requests: 1 });
    expect(failure.message).toContain(`HTTP ${status}`);
  });

  test.each([
    ['is cut in the middle', (events: string[]): ScriptedReply => ({ events: events.slice(0, -2), after: 'cut' })],
    ['is cut at once', (): ScriptedReply => ({ events: [], after: 'cut' })],
    [
      'ends before the answer does',
      (events: string[]): ScriptedReply => ({ events: events.slice(0, 3), after: 'end' }),
    ],
    ['is empty', (): ScriptedReply => ({ events: [], after: 'end' })],
    [
      'turns into rubbish',
      (events: string[]): ScriptedReply => ({ events: [...events.slice(0, 3), 'data: {"a":\n\n'], after: 'end' }),
    ],
    ['is rubbish', (): ScriptedReply => ({ events: ['<html>', '\n\n', 'data: 7\n\n'], after: 'end' })],
    [
      'tells of an error',
      (events: string[]): ScriptedReply => ({ events: [...events.slice(0, 3), dialect.error], after: 'end' }),
    ],
  ])('a stream that %s is no answer, and may be asked for again', async (_what, broken) => {
    const failure = await failureOver(dialect, { replies: [broken(dialect.events('Seven, I think.'))] });
    expect(failure).toMatchObject({ failure: { code: 'model-unavailable' }, delivery: 'unknown', requests: 1 });
  });

  test('a request to a silent provider fails when the idle time is over', async () => {
    const given = { replies: ['silence'] as const, timeout: { idleMs: 50 } };
    const failure = await failureOver(dialect, given);
    expect(failure).toMatchObject({ failure: { code: 'timeout' }, delivery: 'unknown' });
    expect(failure.message).toBe(`Nothing came from it/${String(dialect.config('').model)} for 50ms.`);
  });

  test('a request to a provider that falls silent in the middle fails, too, and is aborted', async () => {
    const events = dialect.events('Seven, I think.').slice(0, 4);
    const { sampled, asked } = await askOver(dialect, {
      replies: [{ events, after: 'hang' }],
      timeout: { idleMs: 100 },
    });
    await expect(sampled).rejects.toMatchObject({ failure: { code: 'timeout' } });
    await asked[0]?.left;
  });

  test('an answer that trickles for ever puts off the idle time, and not the whole', async () => {
    const events = dialect.events('word').slice(0, -3);
    const failure = await failureOver(dialect, {
      replies: [{ events, after: 10 }],
      timeout: { idleMs: 5_000, totalMs: 150 },
    });
    expect(failure).toMatchObject({ failure: { code: 'timeout' }, delivery: 'unknown' });
    expect(failure.message).toContain('did not answer within 150ms');
  });

  test('an aborted request is cancelled, and its connection is closed', async () => {
    const controller = new AbortController();
    const events = dialect.events('Seven, I think.').slice(0, 4);
    const { sampled, asked, progress } = await askOver(dialect, {
      replies: [{ events, after: 'hang' }],
      signal: controller.signal,
    });
    await expect.poll(() => progress.length, { interval: 5 }).toBeGreaterThan(0);
    controller.abort();
    await expect(sampled).rejects.toMatchObject({ failure: { code: 'cancelled' }, delivery: 'unknown' });
    await asked[0]?.left;
  });

  test('a request that was aborted before is not sent', async () => {
    const failure = await failureOver(dialect, { replies: [whole('Seven.')], signal: AbortSignal.abort() });
    expect(failure).toMatchObject({ failure: { code: 'cancelled' }, requests: 0 });
  });

  test('a redirect is not followed: it would take the key along', async () => {
    const elsewhere = await startTestServer(whole('Seven.'));
    onTestFinished(() => elsewhere.close());
    const failure = await failureOver(dialect, { replies: [{ redirect: elsewhere.url }] });
    expect(failure).toMatchObject({ failure: { code: 'model-unavailable' } });
    expect(elsewhere.asked).toEqual([]);
  });

  test('a typed answer is requested in the provider’s own way, and parsed', async () => {
    const { sampled, asked } = await askOver(dialect, { replies: [whole('{"sum": 7}')], output });
    expect((await sampled).result).toMatchObject({ output: { sum: 7 }, content: { text: '{"sum": 7}' } });
    expect(dialect.schemaIn(asked[0]?.body ?? {})).toMatchObject({ type: 'object', required: ['sum'] });
  });

  test('a typed answer that does not fit is repaired once, and both count', async () => {
    const { sampled, asked, progress } = await askOver(dialect, {
      replies: [whole('{"sum": 70}'), whole('{"sum": 7, "note": "sorry"}')],
      output,
    });
    expect(await sampled).toMatchObject({
      result: { output: { sum: 7, note: 'sorry' } },
      usage: { inputTokens: 22, outputTokens: 14 },
    });
    const [, again] = asked.map(({ body }) => JSON.stringify(body));
    expect(again).toContain('{\\"sum\\": 70}');
    expect(again).toMatch(/does not fit the JSON Schema.*sum/);
    const amounts = progress.map((one) => one.progress);
    expect(amounts).toEqual(amounts.toSorted((a, b) => a - b));
  });

  test('a typed answer that does not fit the second time either is a failure that says why', async () => {
    const failure = await failureOver(dialect, { replies: [whole('Seven.'), whole('{"sum": "seven"}')], output });
    expect(failure).toMatchObject({
      failure: { code: 'output-invalid', details: { usage: { inputTokens: 22, outputTokens: 14 } } },
      delivery: 'answered',
      requests: 2,
    });
    expect(failure.message).toContain('/sum');
  });
});

describe('over an Anthropic model that knows no schemas', () => {
  test('a typed answer comes as the call of a tool, and reads the same', async () => {
    const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'answering', content: [] };
    const usage = { input_tokens: 11, output_tokens: 1 };
    const started = { ...message, stop_reason: null, stop_sequence: null, usage };
    const events = [
      { type: 'message_start', message: started },
      { type: 'content_block_start', index: 0, content_block: { type: 'tool_use', id: 't', name: 'json', input: {} } },
      { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: '{"sum"' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: ': 7}' } },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'tool_use', stop_sequence: null }, usage: { output_tokens: 7 } },
      { type: 'message_stop' },
    ].map((one) => `event: ${one.type}\ndata: ${JSON.stringify(one)}\n\n`);
    const { sampled, asked } = await askOver(anthropic, {
      replies: [{ events, after: 'end' }],
      output,
      more: { model: 'claude-3-haiku-20240307' },
    });
    expect((await sampled).result).toMatchObject({ output: { sum: 7 }, stopReason: 'endTurn' });
    expect(asked[0]?.body).toMatchObject({ tools: [{ input_schema: { required: ['sum'] } }] });
  });

  test('content that it does not support is not sent', async () => {
    const content = { type: 'audio', data: 'AAEC', mimeType: 'audio/wav' };
    const request = { messages: [{ role: 'user', content }] };
    const failure = await failureOver(anthropic, { replies: ['silence'], request });
    expect(failure).toMatchObject({ failure: { code: 'model-failed' }, delivery: 'unsent', requests: 0 });
  });
});

describe('a provider that', () => {
  const compatible = dialects.find(({ name }) => name === 'an OpenAI-compatible server') ?? anthropic;
  const completion = (more: JsonObject = {}): ScriptedReply => ({
    status: 200,
    json: {
      id: 'chatcmpl-1',
      object: 'chat.completion',
      created: 1_700_000_000,
      model: 'answering',
      choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'Seven, I think.' } }],
      ...more,
    },
  });
  const usage = { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 };

  test.each([
    ['answers whole, though a stream was asked for', completion({ usage })],
    ['refuses to stream', { status: 400, json: { error: { message: 'Streaming is not supported', type: 'x' } } }],
  ] as const)('%s, is asked again without', async (_, first) => {
    const { sampled, asked } = await askOver(compatible, { replies: [first, completion({ usage })] });
    expect(await sampled).toMatchObject({
      usage: { inputTokens: 11, outputTokens: 7 },
      result: { content: { text: 'Seven, I think.' }, stopReason: 'endTurn', model: 'answering' },
    });
    expect(asked.map(({ body }) => body['stream'])).toEqual([true, undefined]);
  });

  test('refuses for any other reason gets one request', async () => {
    const refusal = { status: 400, json: { error: { message: 'No such model', type: 'x' } } };
    expect(await failureOver(compatible, { replies: [refusal] })).toMatchObject({ code: 'model-failed', requests: 1 });
  });

  test('reports no usage is counted by characters, and the usage is marked as estimated', async () => {
    const events = compatible.events('Seven, I think.').filter((event) => !event.includes('prompt_tokens'));
    const { sampled } = await askOver(compatible, {
      replies: [{ events, after: 'end' }],
      more: { models: { asked: { price: { input: 4, output: 8 } } } },
    });
    // 44 characters in, 15 out.
    expect((await sampled).usage).toMatchObject({ inputTokens: 11, outputTokens: 4, usd: 0.000076, estimated: true });
  });
});
