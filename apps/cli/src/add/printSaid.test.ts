import { PassThrough } from 'node:stream';
import { text as readAll } from 'node:stream/consumers';

import { expect, test } from 'vitest';

import { createOutput } from '../output/output.ts';
import { printSaid } from './printSaid.ts';

async function printed(said: string, isTTY = false): Promise<string[]> {
  const stream = Object.assign(new PassThrough(), { isTTY, columns: 40 });
  printSaid(createOutput(stream, { NO_COLOR: '1' }), 'notes', said);
  stream.end();
  return (await readAll(stream)).split('\n').slice(0, -1);
}

test('of a server that says much the last lines are shown, each no wider than the terminal', async () => {
  const said = Array.from({ length: 12 }, (_, n) => `${n}: ${'word '.repeat(60)}`).join('\n');
  const lines = await printed(said, true);
  expect(lines[0]).toBe('notes said when it started, after 4 more lines:');
  expect(lines.slice(1).map((line) => line.slice(0, 4))).toEqual([
    '  4:',
    '  5:',
    '  6:',
    '  7:',
    '  8:',
    '  9:',
    '  10',
    '  11',
  ]);
  expect(lines.slice(1).filter((line) => line.length > 40)).toEqual([]);
  expect((await printed(said)).filter((line) => line.length > 160)).toEqual([]);
});

test('of a log entry in JSON its message is shown; a server that says nothing is not quoted', async () => {
  expect(await printed('{"level":30,"time":1,"pid":2,"msg":"no folder is given"}\n{"a":1}\n{broken')).toEqual([
    'notes said when it started:',
    '  no folder is given',
    '  {"a":1}',
    '  {broken',
  ]);
  expect(await printed('')).toEqual([]);
});
