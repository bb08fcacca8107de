import { PassThrough } from 'node:stream';
import { text as readAll } from 'node:stream/consumers';

import { expect, test } from 'vitest';

import { createOutput } from '../output/output.ts';
import { printTools } from './printTools.ts';

const tools = (count: number) =>
  Array.from({ length: count }, (_, i) => ({
    tool: `big/tool-${i}`,
    effect: i % 4 === 0 ? ('write' as const) : ('read' as const),
    description: 'Does what no other tool of this server does, and says so at length.',
  }));

async function printed(count: number, isTTY: boolean): Promise<readonly [string, string]> {
  const streams = [0, 1].map(() => Object.assign(new PassThrough(), { isTTY, columns: 80 }));
  const [stdout, stderr] = streams.map((stream) => createOutput(stream, { NO_COLOR: '1' }));
  if (stdout === undefined || stderr === undefined) throw new Error('there are two streams');
  printTools({ stdout, stderr }, 'big', tools(count));
  for (const stream of streams) stream.end();
  const [out = '', told = ''] = await Promise.all(streams.map((stream) => readAll(stream)));
  return [out, told];
}

test('a long list of tools is shortened for a person, who is told how to see all', async () => {
  const [out, told] = await printed(64, true);
  const lines = out.trimEnd().split('\n');
  expect(lines).toHaveLength(21);
  expect(lines.filter((line) => line.length > 80)).toEqual([]);
  expect(told).toBe(
    '… and 44 more: 64 tools, 16 write, 48 read.\nAll of them, while `baton dev` runs: baton servers tools big\n',
  );
});

test('a short list is whole, and so is every list for a program', async () => {
  expect((await printed(25, true)).map((text) => text.split('\n').length)).toEqual([27, 1]);
  expect((await printed(64, false)).map((text) => text.split('\n').length)).toEqual([65, 1]);
});
