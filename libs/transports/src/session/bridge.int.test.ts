/** `baton mcp`: each line that a client writes has an answer. */
import { PassThrough } from 'node:stream';

import { soon } from '@baton/testing';
import { expect, onTestFinished, test } from 'vitest';

import { json, listening, messageOf, rpc } from '../testing/testHttp.ts';
import { bridgeStdio } from './bridge.ts';

/** What the client reads for each line that it writes. */
async function answersTo(lines: readonly string[]): Promise<readonly unknown[]> {
  const base = await listening((request, response) => {
    if (request.method !== 'POST') return void response.writeHead(405).end();
    void messageOf(request).then(({ id, method }) => json(response, rpc(id, { method })));
  });
  const [input, output] = [new PassThrough(), new PassThrough()];
  let written = '';
  output.on('data', (chunk: Buffer) => (written += chunk.toString()));
  const bridge = bridgeStdio({ url: new URL(base), headers: {}, input, output, onTrouble: () => {} });
  onTestFinished(async () => {
    input.end();
    await bridge;
  });
  for (const line of lines) input.write(`${line}\n`);
  await soon(() => expect(written.trim().split('\n')).toHaveLength(lines.length));
  return written
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
}

const ping = (id: unknown): string => JSON.stringify({ jsonrpc: '2.0', id, method: 'ping' });

test('a byte order mark before a message is passed over, and the next lines are read', async () => {
  const answers = await answersTo([`\uFEFF${ping(1)}`, ping(2)]);
  expect(answers).toEqual(expect.arrayContaining([rpc(1, { method: 'ping' }), rpc(2, { method: 'ping' })]));
});

test.each<[string, string, object]>([
  ['an id beyond 2^53', ping('#').replace('"#"', '1752000000000000001'), { id: null, error: { code: -32_600 } }],
  ['an id with a fraction', ping(1.5), { id: null, error: { code: -32_600 } }],
  ['no JSON', '{"jsonrpc":"2.0",', { id: null, error: { code: -32_700 } }],
  ['no message', '{"id":7,"method":"ping"}', { id: 7, error: { code: -32_600 } }],
  ['a text', '"hello"', { id: null, error: { code: -32_600 } }],
])('%s has an answer, and the next line is read', async (_, line, refusal) => {
  const answers = await answersTo([line, ping('next')]);
  expect(answers).toEqual(
    expect.arrayContaining([expect.objectContaining({ id: 'next' }), expect.objectContaining({ jsonrpc: '2.0' })]),
  );
  expect(answers.find((answer) => (answer as { id: unknown }).id !== 'next')).toMatchObject(refusal);
});
