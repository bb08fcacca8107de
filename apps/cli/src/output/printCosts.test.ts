import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';

import { expect, test } from 'vitest';

import { createOutput } from './output.ts';
import { printCosts } from './printCosts.ts';

test('What is not known of an answer is not told as 0, and a line says why', async () => {
  const none = { inputTokens: 0, outputTokens: 0, usd: 0 };
  const data = [
    { model: 'acme/large', answers: 2, inputTokens: 12_000, outputTokens: 9, usd: 0.00004 },
    { model: 'local/small', answers: 1, inputTokens: 3, outputTokens: 4, usd: 0, unpriced: 1 },
    { model: 'of a client', answers: 1, ...none, unknown: 1 },
  ];
  const total = { answers: 4, inputTokens: 12_003, outputTokens: 13, usd: 0.00004, unpriced: 1, unknown: 1 };
  const [out, err] = [new PassThrough(), new PassThrough()];
  const outputs = { stdout: createOutput(out, {}), stderr: createOutput(err, {}) };
  printCosts(outputs, { from: '2026-11-01', to: '2026-11-30', data, total }, ['model']);
  out.end();
  err.end();
  expect((await text(out)).split('\n').slice(0, 3)).toEqual([
    'acme/large\t2\t12000\t9\t0.000040',
    'local/small\t1\t3\t4\tno price',
    'of a client\t1\tunknown\tunknown\tunknown',
  ]);
  expect(await text(err)).toBe(
    '1 answer without a price in mcp.json: the dollars are missing.\n' +
      '1 answer with unknown tokens: the MCP client whose model answered did not say them.\n',
  );
});
