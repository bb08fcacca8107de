import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { describe, expect, test } from 'vitest';

import { known } from '../fixtures/offers.ts';
import { findingCodes } from './findingCodes.ts';
import { checkWorkflow } from './parseWorkflow.ts';

/**
 * Broken files, one mistake or a few in each. What is expected stands in the file's first lines, or beside it where the
 * first lines matter: the code, the place, and the text that the carets must lie under.
 */
const folder = fileURLToPath(new URL('../corpus/', import.meta.url));

const namesIn = (inside: string): string[] =>
  readdirSync(folder + inside)
    .filter((name) => name.endsWith('.yaml'))
    .map((name) => inside + name.slice(0, -'.yaml'.length));

/** Those in `live` are held against servers and deployed workflows, too. */
const names = [...namesIn(''), ...namesIn('live/')];

const check = (name: string): ReturnType<typeof checkWorkflow> =>
  checkWorkflow(readFileSync(`${folder}${name}.yaml`, 'utf8'), name.startsWith('live/') ? known : {});

interface Expected {
  readonly code: string;
  readonly line: number;
  readonly column: number;
  readonly under: string;
}

const expectation = /^(?:# )?expect: (\S+) (\d+):(\d+) ?(.*)$/;

function expectedIn(name: string): Expected[] {
  const beside = `${folder}${name}.expect`;
  const lines = readFileSync(existsSync(beside) ? beside : `${folder}${name}.yaml`, 'utf8').split(/\r?\n/);
  return lines.flatMap((line) => {
    const [, code = '', row, column, under = ''] = expectation.exec(line) ?? [];
    return code === '' ? [] : [{ code, line: Number(row), column: Number(column), under: shortened(under) }];
  });
}

/** Frames show a window of a long line. */
const shortened = (text: string): string => text.slice(0, 60).trim();

function underCarets(frame: string): string {
  const rows = frame.split('\n');
  const carets = rows.findIndex((row) => /^ +\| +\^+$/.test(row));
  const row = Array.from(rows[carets - 1] ?? '');
  return row.slice(rows[carets]?.indexOf('^'), (rows[carets]?.lastIndexOf('^') ?? 0) + 1).join('');
}

test.each(names)('%s', (name) => {
  const { findings } = check(name);
  const found = findings.map(({ code, line, column, frame }) => ({
    code,
    line,
    column,
    under: shortened(underCarets(frame)),
  }));
  expect(found).toEqual(expectedIn(name));
});

describe('the corpus', () => {
  test('has a file for every finding', () => {
    const seen = new Set(names.flatMap((name) => expectedIn(name).map(({ code }) => code)));
    expect(Object.keys(findingCodes).filter((code) => !seen.has(code))).toEqual([]);
  });

  test('quotes no more than 80 characters of the author’s text', () => {
    const messages = names.flatMap((name) => check(name).findings);
    for (const { message } of messages) expect(message.length).toBeLessThan(320);
  });
});
