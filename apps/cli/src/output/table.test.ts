import { Writable } from 'node:stream';

import { expect, test } from 'vitest';

import { createOutput } from './output.ts';
import { type Column, printTable } from './table.ts';

const columns: readonly Column<readonly string[]>[] = [
  { title: 'ID', value: ([id = '']) => id },
  { title: 'NAME', value: ([, name = '']) => name, canShrink: true },
  { title: 'KIND', value: ([, , kind = '']) => kind, most: 6 },
  { title: 'STEP', value: ([, , , step = '']) => step, dispensable: true },
];
const row = ['01a2', 'a rather long name', 'something', 'a step'];

function printed(width?: number, rows: readonly (readonly string[])[] = [row], of = columns): string[] {
  let text = '';
  const stream = new Writable({ write: (chunk, _encoding, done) => ((text += String(chunk)), done()) });
  const output = createOutput(Object.assign(stream, width === undefined ? {} : { isTTY: true, columns: width }), {
    NO_COLOR: '1',
  });
  printTable(output, of, rows);
  return text.trimEnd().split('\n');
}

test('a program gets every column whole', () => {
  expect(printed()).toEqual([row.join('\t')]);
});

test('a wide terminal shows every column', () => {
  expect(printed(80)).toEqual(['ID    NAME                KIND    STEP', '01a2  a rather long name  somet…  a step']);
});

test('in a narrow one a dispensable column goes first, then the column that may shrink is cut', () => {
  expect(printed(32)).toEqual(['ID    NAME                KIND', '01a2  a rather long name  somet…']);
  expect(printed(24)).toEqual(['ID    NAME        KIND', '01a2  a rather…   somet…']);
});

test('a last column that wraps goes on below, beside the others or, with too little room, under them', () => {
  const wrapping: typeof columns = [
    { title: 'NAME', value: ([name = '']) => name },
    { title: 'WHAT FOR', value: ([, about = '']) => about, canShrink: true, wraps: true },
  ];
  const rows = [
    ['PORT', 'Port of the API; 0 stands for any port that is free.'],
    ['HOST', 'Its address.'],
  ];
  expect(printed(undefined, rows, wrapping)).toEqual(rows.map((one) => one.join('\t')));
  expect(printed(36, rows, wrapping)).toEqual([
    'NAME  WHAT FOR',
    'PORT  Port of the API; 0 stands for',
    '      any port that is free.',
    'HOST  Its address.',
  ]);
  expect(printed(24, rows, wrapping).map((line) => line.trimEnd())).toEqual([
    'NAME  WHAT FOR',
    'PORT',
    '    Port of the API; 0',
    '    stands for any port',
    '    that is free.',
    'HOST  Its address.',
  ]);
  const [name, about] = wrapping;
  const titled = name && about ? [name, { ...about, title: 'A LONGER TITLE' }] : [];
  expect(printed(16, rows, titled)[0]?.trimEnd()).toBe('NAME');
});

test('there may be more rows than a call takes arguments', () => {
  const rows = Array.from({ length: 150_000 }, () => ['1']);
  expect(printed(80, rows)).toHaveLength(150_001);
});
