import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { describe, expect, test } from 'vitest';

import { type FindingCode, findingCodes } from './findingCodes.ts';
import { checkWorkflow } from './parseWorkflow.ts';
import { known } from './testing/offers.ts';

/**
 * Broken files, one mistake or a few in each. The file's first lines say what is expected, or a file beside it where the
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
  // An emoji takes two cells.
  const row = Array.from(rows[carets - 1] ?? '').flatMap((one) =>
    /\p{Emoji_Presentation}/u.test(one) ? [one, ''] : one,
  );
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
    // Found between two files, by the command line.
    seen.add('duplicate-workflow');
    expect(Object.keys(findingCodes).filter((code) => !seen.has(code))).toEqual([]);
  });

  test('has more than 300 files', () => {
    expect(names.length).toBeGreaterThan(300);
  });

  /** What the language page says checking finds, by the codes that say so. */
  const found: readonly (readonly [string, readonly FindingCode[]])[] = [
    [
      '[L-025] what YAML could do and files may not',
      [
        'duplicate-key',
        'unknown-key',
        'yaml-tag',
        'yaml-anchor',
        'yaml-alias',
        'forbidden-key',
        'too-deep',
        'number-too-large',
      ],
    ],
    ['[L-120] errors of syntax', ['yaml-syntax', 'yaml-indent', 'yaml-tab', 'empty-document']],
    ['[L-121] keys', ['unknown-key', 'duplicate-key', 'key-not-for-verb']],
    ['[L-122] verbs', ['missing-verb', 'two-verbs']],
    ['[L-123] ids', ['duplicate-id', 'shadowed-id']],
    ['[L-124] steps that are not there', ['unknown-step']],
    ['[L-125] steps that have not run yet', ['step-not-run-yet', 'step-may-not-have-run']],
    ['[L-126] steps that cannot be seen', ['step-not-visible']],
    [
      '[L-127] expressions',
      ['expression-syntax', 'expression-type', 'unknown-function', 'expression-arguments', 'unknown-field'],
    ],
    ['[L-128] cases that are never taken', ['unreachable-case']],
    ['[L-129] cycles', ['needs-cycle']],
    ['[L-130] schedules', ['cron-syntax', 'cron-never', 'unknown-time-zone']],
    ['[L-131] durations', ['bad-duration', 'out-of-range']],
    ['[L-132] schemas', ['schema-invalid', 'schema-type', 'schema-keyword', 'default-invalid', 'value-invalid']],
    ['[L-133] budgets', ['out-of-range', 'missing-key']],
    ['[L-134] secrets', ['secret-misplaced', 'secret-computed']],
    [
      '[L-140] what servers do not have',
      ['unknown-server', 'unknown-tool', 'unknown-prompt', 'unknown-argument', 'missing-argument', 'unknown-resource'],
    ],
    [
      '[L-146] what does not fit, wherever its type comes from',
      ['argument-type', 'unknown-field', 'never-equal', 'not-a-list'],
    ],
  ];

  test.each(found)('has files for %s', (_, codes) => {
    const all = new Set(names.flatMap((name) => expectedIn(name).map(({ code }) => code)));
    expect(codes.filter((code) => !all.has(code))).toEqual([]);
  });

  test('quotes no more than 80 characters of the author’s text', () => {
    const messages = names.flatMap((name) => check(name).findings);
    for (const { message } of messages) expect(message.length).toBeLessThan(320);
  });
});
