import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readAll } from 'node:stream/consumers';

import { expect, test } from 'vitest';

import { figuresOf, work } from './author.ts';
import { modelAuthor } from './modelAuthor.ts';
import type { AuthoringTask } from './task.ts';
import { tasks } from './tasks.ts';

/** An answer of Anthropic's Messages API: 11 tokens in, 7 out. */
const answerOf = (text: string): string =>
  [
    {
      type: 'message_start',
      message: { id: 'm', model: 'm', content: [], usage: { input_tokens: 11, output_tokens: 1 } },
    },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 7 } },
    { type: 'message_stop' },
  ]
    .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    .join('');

test('with a key, a model is measured: right the first time, rounds, tokens; and it is shown what the checker finds', async () => {
  const task = tasks.find(({ attempts }) => attempts.length === 2) as AuthoringTask;
  const prompts: string[] = [];
  const server = createServer((request, response) => {
    void readAll(request).then((body) => {
      const attempt = task.attempts[prompts.length] ?? '';
      prompts.push(JSON.stringify((JSON.parse(body) as { messages: object }).messages));
      response.writeHead(request.headers['x-api-key'] === 'a key' ? 200 : 401, { 'content-type': 'text/event-stream' });
      response.end(answerOf(`Here it is:\n\n\`\`\`yaml\n${attempt}\`\`\`\n`));
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const env = (name: string): string | undefined => (name === 'ANTHROPIC_API_KEY' ? 'a key' : undefined);
  const result = await work(modelAuthor({ kind: 'anthropic', model: 'claude', url, env }), task);
  await new Promise((resolve) => server.close(resolve));
  expect(figuresOf([result])).toEqual({ tasks: 1, right: 1, rightFirst: 0, rounds: 2, tokens: 36 });
  expect(prompts.map((prompt) => prompt.includes('# Your last text has findings'))).toEqual([false, true]);
});
