import { PassThrough } from 'node:stream';
import { text as readAll } from 'node:stream/consumers';

import { describe, expect, test } from 'vitest';

import { type Output, createOutput } from '../output/output.ts';
import { type Explanation, explanations } from './explanations.ts';
import { printCodes, printExplanation } from './printExplanations.ts';

async function printed(print: (output: Output) => void, isTTY = true, columns = 120): Promise<string> {
  const stream = Object.assign(new PassThrough(), { isTTY, columns });
  print(createOutput(stream, { NO_COLOR: '1' }));
  stream.end();
  return readAll(stream);
}

const textOf = (one: Explanation): Promise<string> =>
  printed((output) => printExplanation(output, one, `docs/${one.entry}`));

const explanationOf = (code: string, kind: Explanation['kind']): Promise<string> => {
  const found = explanations.find((one) => one.code === code && one.kind === kind);
  if (found === undefined) throw new Error(`there is no ${kind} ${code}`);
  return textOf(found);
};

describe('the explanation of a code', () => {
  test('shows a part of a file that gets the finding, and the same part mended', async () => {
    expect(await explanationOf('bad-duration', 'finding')).toBe(`bad-duration  error  Its form

A duration is not written as a number and a unit.

For example:

  - wait: 30 seconds

Mended:

  - wait: 30s

docs/reference/findings#bad-duration
`);
  });

  test('tells in words what no small part of a file shows', async () => {
    expect(await explanationOf('assumed', 'finding')).toContain(
      'For example: a server that does not start.\n\nMended: the same file, checked while the server runs.\n',
    );
  });

  test('says of the failure of a run whether Baton tries again, and what may help', async () => {
    const text = await explanationOf('server-unreachable', 'failure');
    expect(text).toContain('server-unreachable  failure of a run\n\nNo session with the server could be opened.\n');
    expect(text).toContain('\nBaton tries again by itself where that is safe');
    expect(text).toContain(
      '\nWhat may help: connect to the server alone, and see what it says: `baton servers\ntest SERVER`.\n',
    );
    expect(await explanationOf('output-invalid', 'failure')).toContain('\nBaton does not try again by itself.\n');
  });

  test('says of a finding of an import what may help', async () => {
    expect(await explanationOf('left-out', 'import')).toBe(`left-out  warning  Findings of baton import

A part of the file has no place in a workflow of Baton. It is not in the
imported one.

What may help: look whether the workflow needs it, and do it in another way if
it does.

docs/importing
`);
  });

  test('has at most 80 columns, however wide the terminal is', async () => {
    const texts = await Promise.all(explanations.map(textOf));
    const lines = texts.flatMap((text) => text.split('\n'));
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
  });
});

describe('the list of codes', () => {
  test('has a table for each group', async () => {
    const all = await printed((output) => printCodes(output, explanations), true, 80);
    const tables = all.split('\n\n').map((table) => table.split('\n')[0]?.trim());
    expect(tables).toEqual([
      'The file',
      'Its form',
      'Steps',
      'Expressions',
      'Schemas and values',
      'Triggers',
      'Servers',
      'Findings of baton import',
      'Failures of runs',
    ]);
  });

  test('has the group in each row for a program', async () => {
    const rows = (await printed((output) => printCodes(output, explanations), false)).trimEnd().split('\n');
    expect(rows).toHaveLength(explanations.length);
    expect(rows).toContain('bad-duration\tIts form\tA duration is not written as a number and a unit.');
  });
});
