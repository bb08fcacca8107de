import pc from 'picocolors';
import { describe, expect, test } from 'vitest';

import type { CheckFormat } from './checkedFile.ts';
import { checkFile } from './checkFile.ts';
import { formatCheck } from './formatCheck.ts';

const wrong =
  'workflow: wrong\nsteps:\n  - id: a\n    tol: web/fetch\n  - id: b\n    set: { x: "${{ steps.c.output }}" }\n';
const right = 'workflow: right\nsteps:\n  - id: a\n    set: { x: 1 }\n';

const files = [
  { name: 'flows/a b:c.workflow.yaml', findings: checkFile('', wrong).findings },
  { name: 'right.workflow.yaml', findings: checkFile('', right).findings },
];

const plain = { paint: pc.createColors(false) };

const formatted = (format: CheckFormat, colour = false): string =>
  formatCheck(files, format, { paint: pc.createColors(colour) });

describe('findings', () => {
  test('for people have place, frame, hint and a total', () => {
    const text = formatted('text');
    expect(text).toContain('flows/a b:c.workflow.yaml:4:5  error  missing-verb');
    expect(text).toContain(' 4 |     tol: web/fetch');
    expect(text).toContain('did you mean "tool"?');
    expect(text.split('\n').at(-1)).toBe('2 errors, 0 warnings in 2 files');
  });

  test('have colours only where there are any', () => {
    expect(formatted('text')).not.toContain('\u001B');
    expect(formatted('text', true)).toContain('\u001B[31m');
    expect(formatted('json', true)).not.toContain('\u001B');
  });

  test('for programs are JSON with the file in each', () => {
    const json = JSON.parse(formatted('json')) as { errors: number; findings: { file: string; line: number }[] };
    expect(json).toMatchObject({ files: 2, errors: 2, warnings: 0 });
    expect(json.findings.map(({ file, line }) => [file, line])).toEqual(
      [
        ['flows/a b:c.workflow.yaml', 6],
        ['flows/a b:c.workflow.yaml', 4],
      ].toSorted(([, a], [, b]) => Number(a) - Number(b)),
    );
  });

  test('for GitHub are one command each, their text escaped', () => {
    const lines = formatted('github').split('\n');
    expect(lines).toHaveLength(2);
    for (const line of lines)
      expect(line).toMatch(/^::error file=flows\/a b%3Ac\.workflow\.yaml,line=\d+,col=\d+,title=[a-z-]+::./);
    expect(formatted('github')).toContain('%0Ahint: ');
  });

  test('for code scanning are SARIF whose rules are the codes that occur', () => {
    const sarif = JSON.parse(formatted('sarif')) as {
      version: string;
      runs: [
        {
          tool: { driver: { rules: { id: string }[] } };
          results: { ruleId: string; ruleIndex: number; locations: unknown[] }[];
        },
      ];
    };
    const [{ tool, results }] = sarif.runs;
    expect(sarif.version).toBe('2.1.0');
    expect(results.map(({ ruleId, ruleIndex }) => tool.driver.rules[ruleIndex]?.id === ruleId)).toEqual([true, true]);
    expect(JSON.stringify(results)).toContain('flows/a%20b%3Ac.workflow.yaml');
  });

  test('that are none are said in one line, and to GitHub not at all', () => {
    const none = files.slice(1);
    expect(formatCheck(none, 'text', plain)).toBe('✓ 1 file, no errors');
    expect(formatCheck(none, 'github', plain)).toBe('');
  });

  test('that are none say which tools were left out, and how they are checked, within the terminal', () => {
    const none = files.slice(1);
    const display = { ...plain, toolsCheck: 'baton check --servers right.workflow.yaml' };
    expect(formatCheck(none, 'text', display)).toBe(
      '✓ 1 file, no errors; tools were not checked: baton check --servers right.workflow.yaml',
    );
    expect(formatCheck(none, 'text', { ...display, columns: 80 })).toBe(
      '✓ 1 file, no errors; tools were not checked:\n  baton check --servers right.workflow.yaml',
    );
    expect(formatCheck(files, 'text', display)).not.toContain('tools were not checked');
  });

  test('for people fit into the terminal', () => {
    const text = formatCheck(files, 'text', { ...plain, columns: 40 });
    expect(text.split('\n').filter((line) => line.length > 40 && !line.startsWith('flows/'))).toEqual([]);
    expect(text).toMatch(/^ +4 \| {5}tol: web\/fetch$/m);
  });
});
