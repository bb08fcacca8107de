import { readFileSync } from 'node:fs';

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import type { Finding } from './finding.ts';
import { formatFinding } from './formatFinding.ts';
import { checkWorkflow, parseWorkflow } from './parseWorkflow.ts';
import { printWorkflow } from './printWorkflow.ts';

const example = readFileSync(new URL('../fixtures/nightly-report.workflow.yaml', import.meta.url), 'utf8');
const small = 'workflow: w\nsteps:\n  - set: { a: 1 }\n';

describe('a good file', () => {
  test('[L-002] the example of the language page has no errors', () => {
    const { workflow, findings } = checkWorkflow(example);
    expect(findings.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(workflow?.workflow).toBe('nightly-report');
  });

  test('is handed on as its author wrote it, nothing filled in', () => {
    expect(parseWorkflow(small).workflow).toEqual({ workflow: 'w', steps: [{ set: { a: 1 } }] });
  });

  test('[L-024] may be JSON, indented with tabs', () => {
    expect(parseWorkflow('{\n\t"workflow": "w",\n\t"steps": [{ "set": { "a": 1 } }]\n}').findings).toEqual([]);
  });

  test('may begin with a byte order mark and end its lines as Windows does', () => {
    expect(parseWorkflow(`\ufeff${small.replaceAll('\n', '\r\n')}`).findings).toEqual([]);
  });

  test('is the same after it was printed and read again', () => {
    const { workflow } = parseWorkflow(example);
    expect(workflow && parseWorkflow(printWorkflow(workflow)).workflow).toEqual(workflow);
  });
});

describe('a broken file', () => {
  test('that has a key of another verb is told which keys go with this one', () => {
    const { findings } = parseWorkflow('workflow: w\nsteps:\n  - id: a\n    ask: Sure?\n    effect: write\n');
    const [finding] = findings;
    expect(finding?.hint).toBe('with "ask" there can be onError, ensure, undo, form, expires or onExpire');
  });

  test('[L-151] is reported all at once, in the order of its lines', () => {
    const { findings } = checkWorkflow(
      'workflow: w\ntitel: x\nsteps:\n  - set: { a: "${{ inputs.x }}" }\n  - tol: a/b\n',
    );
    expect(findings.map(({ code, line }) => [code, line])).toEqual([
      ['unknown-key', 2],
      ['unknown-field', 4],
      ['missing-verb', 5],
    ]);
  });

  test('has a workflow only where nothing is wrong with it', () => {
    expect(parseWorkflow('workflow: w\nsteps: []\n').workflow).toBeUndefined();
    expect(checkWorkflow('workflow: w\nsteps:\n  - set: { a: "${{ nope }}" }\n').workflow).toBeUndefined();
  });

  test('has its workflow where there are warnings only', () => {
    const { workflow, findings } = checkWorkflow('workflow: w\nsteps:\n  - fail: no\n  - set: {}\n');
    expect(findings.map(({ severity }) => severity)).toEqual(['warning']);
    expect(workflow?.workflow).toBe('w');
  });

  test('gets at most fifty findings', () => {
    const steps = Array.from({ length: 80 }, () => '  - nope: 1').join('\n');
    expect(checkWorkflow(`workflow: w\nsteps:\n${steps}\n`).findings).toHaveLength(50);
  });

  test('that is too large is not read', () => {
    const [finding] = parseWorkflow(`workflow: w\n# ${'x'.repeat(600_000)}`).findings;
    expect(finding).toMatchObject({
      code: 'too-large',
      line: 1,
      column: 1,
      frame: expect.stringMatching(/^1 \| workflow: w$/m),
    });
  });

  test.each(['utf-16le', 'utf-16be'])('that is %s is told to be no UTF-8', (encoding) => {
    const little = Buffer.from('\ufeffworkflow: w\nsteps:\n  - set: { a: 1 }\n', 'utf16le');
    const text = (encoding === 'utf-16le' ? little : little.swap16()).toString('utf8');
    const [finding, ...others] = parseWorkflow(text).findings;
    expect(finding).toMatchObject({ code: 'invalid-text', message: 'The file is not UTF-8; it looks like UTF-16.' });
    expect(others).toEqual([]);
  });

  test.each([
    ['wait: 99999999999999999999d', '"wait" is too long: it has to be 1ms to 366d.'],
    ['wait: 367d', '"wait" is too long: it has to be 1ms to 366d.'],
    ['wait: 0s', '"wait" is too short: it has to be 1ms to 366d.'],
    ['wait: soon', '"soon" is not a duration.'],
  ])('with %s says what a duration can be', (step, message) => {
    const { findings } = parseWorkflow(`workflow: w\nsteps:\n  - ${step}\n`);
    expect(findings.map((one) => one.message)).toEqual([message]);
  });

  test('offers `needs` only within a `parallel`', () => {
    const [loose] = parseWorkflow('workflow: w\nsteps:\n  - { tool: s/t, xyzzy: 1 }\n').findings;
    const [within] = parseWorkflow('workflow: w\nsteps:\n  - parallel: [{ tool: s/t, xyzzy: 1 }]\n').findings;
    expect([loose?.expected?.includes('needs'), within?.expected?.includes('needs')]).toEqual([false, true]);
  });

  test('is named in its findings where the caller names it', () => {
    expect(parseWorkflow('', { file: 'a.yaml' }).findings[0]?.file).toBe('a.yaml');
  });

  test('of two steps with one id says where the other is', () => {
    const text = 'workflow: w\nsteps:\n  - id: scan\n    set: {}\n  - { id: scan, set: {}, titel: x }\n';
    const { findings } = checkWorkflow(text);
    expect(findings.find(({ code }) => code === 'duplicate-id')).toMatchObject({
      line: 5,
      column: 11,
      message: expect.stringMatching(/ The other is at line 3, column 9\.$/) as string,
    });
  });

  test('[L-150] is printed with the place, the lines around it and the hint', () => {
    const [finding] = parseWorkflow('workflow: w\nsteps:\n  - set: {}\n    titel: x\n').findings;
    expect(finding && formatFinding(finding, 'a.yaml').split('\n')).toEqual([
      'a.yaml:4:5  error  unknown-key',
      '  3 |   - set: {}',
      '  4 |     titel: x',
      '    |     ^^^^^ A step with "set" has no key "titel".',
      '  expected: id, title, if, onError, ensure or set',
      '  hint: did you mean "title"?',
    ]);
  });

  test('says what was expected, and the hint, within 80 columns', () => {
    const [finding] = parseWorkflow('workflow: w\nsteps:\n  - { tool: s/t, xyzzy: 1 }\n').findings;
    const lines = finding === undefined ? [] : formatFinding(finding, 'a.yaml').split('\n');
    const from = lines.findIndex((line) => line.startsWith('  expected: '));
    expect(lines[from + 1]).toMatch(/^ {12}[a-z]/);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
  });

  test('has its message under the carets where it does not fit beside them, within the width', () => {
    const [finding] = parseWorkflow('workflow: w\nsteps:\n  - set: {}\n    titel: x\n').findings;
    expect(finding && formatFinding(finding, 'a.yaml', 40).split('\n')).toEqual([
      'a.yaml:4:5  error  unknown-key',
      '  3 |   - set: {}',
      '  4 |     titel: x',
      '    |     ^^^^^',
      '    | A step with "set" has no key',
      '    | "titel".',
      '  expected: id, title, if, onError,',
      '            ensure or set',
      '  hint: did you mean "title"?',
    ]);
  });

  test('an unknown failure code is a warning, where the codes are known', () => {
    const text = (code: string): string =>
      `workflow: w\nsteps:\n  - tool: a/b\n    onError: { match: [${code}], steps: [] }\n  - if: run.version == 1\n    fail: x\n    code: no-luck\n`;
    const codesOf = (code: string): string[] =>
      checkWorkflow(text(code), { failureCodes: ['timeout'] }).findings.map((one) => one.code);
    expect([codesOf('timeot'), codesOf('timeout'), codesOf('no-luck')]).toEqual([['unknown-failure-code'], [], []]);
    expect(checkWorkflow(text('timeot')).findings).toEqual([]);
  });

  test('at a step that starts a child run, the finding says which code such a step fails with', () => {
    const text = 'workflow: w\nsteps: [{ workflow: child, onError: [{ match: [bad-luck], steps: [] }] }]\n';
    expect(checkWorkflow(text, { failureCodes: ['child-failed', 'timeout'] }).findings).toMatchObject([
      { code: 'unknown-failure-code', hint: expect.stringContaining('the code `child-failed`') as string },
    ]);
  });
});

describe('hostile files', () => {
  const hostile: Record<string, string> = {
    'brackets without end': '['.repeat(20_000),
    'braces without end': '{a: '.repeat(20_000),
    'dashes without end': '- '.repeat(20_000),
    'questions without end': '? '.repeat(20_000),
    'indentation without end': Array.from({ length: 1_000 }, (_, i) => `${' '.repeat(i)}a:`).join('\n'),
    'nothing but errors': '"'.repeat(20_000),
    'nothing but anchors': '&a '.repeat(20_000),
    'nothing but escapes that are none': `"${'\\q'.repeat(20_000)}"`,
    'a map of many keys': Array.from({ length: 10_000 }, (_, i) => `k${i}: 1`).join('\n'),
    'billion laughs': `a: &a [x]\n${'bcdefgh'
      .split('')
      .map((name, i) => `${name}: &${name} [${Array(9).fill(`*${'abcdefg'[i]}`).join(',')}]`)
      .join('\n')}`,
    'expressions without end': `[${'${{'.repeat(20_000)}`,
    'expressions without quotes': `[${'${{ a }},'.repeat(5_000)}]`,
    'steps that are none': `workflow: w\nsteps:\n${'  - x\n'.repeat(40_000)}`,
    'an alias to itself': 'a: &a [*a]',
  };

  test.each(Object.entries(hostile))('%s: an answer, with a place', (_, text) => {
    for (const { findings } of [checkWorkflow(text), checkWorkflow(`workflow: w\nsteps:\n  - set: { a: ${text}`)]) {
      expect(findings.length).toBeGreaterThan(0);
      expect(findings[0]?.line).toBeGreaterThan(0);
    }
  });

  test('fifty of them in a row leave the process as it was', () => {
    for (let i = 0; i < 50; i++) checkWorkflow('['.repeat(1_000 + i));
    expect(parseWorkflow(small).findings).toEqual([]);
  });
});

/**
 * Goal: no input makes the checker throw, or point outside the text.
 * Method: random texts, and the example with random cuts, doublings and insertions.
 */
describe('any input', () => {
  const mutated = fc
    .tuple(
      fc.nat(example.length),
      fc.nat(200),
      fc.constantFrom('', '\t', '${{', '}}', '"', ': ', '- ', '[', '\n', '&a ', '*a', '#', '|'),
    )
    .map(([at, length, put]) => example.slice(0, at) + put + example.slice(at + length));

  /** Findings that have no place in the text, or say nothing. */
  const misplaced = (text: string): Finding[] => {
    const lines = text.replace(/^\ufeff/, '').split('\n');
    return checkWorkflow(text).findings.filter(({ line, column, frame, message }) => {
      const length = Array.from(lines[line - 1] ?? '').length;
      return (
        !(line >= 1 && line <= lines.length && column >= 1 && column <= length + 1) ||
        !frame.includes('^') ||
        message === ''
      );
    });
  };

  test('random text is answered', () => {
    const texts = fc.oneof(fc.string({ maxLength: 300 }), fc.string({ unit: 'binary', maxLength: 100 }));
    fc.assert(
      fc.property(texts, (text) => {
        expect(misplaced(text)).toEqual([]);
      }),
    );
  });

  test('a damaged workflow is answered', () => {
    fc.assert(
      fc.property(mutated, (text) => {
        expect(misplaced(text)).toEqual([]);
      }),
      { numRuns: 80 },
    );
  });

  test('JSON that is no workflow is answered', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(misplaced(text)).toEqual([]);
      }),
    );
  });
});
