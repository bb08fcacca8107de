import { Writable } from 'node:stream';

import { expect, test } from 'vitest';

import { createOutput } from '../output/output.ts';
import { ok, wrong } from './finding.ts';
import { printFindings } from './printFindings.ts';

test('the frame of a fault keeps its lines', () => {
  let text = '';
  const stream = new Writable({ write: (chunk, _encoding, done) => ((text += String(chunk)), done()) });
  const fault = 'mcp.json:1:3  error  syntax\n  1 | {,\n    |  ^ This is not JSON.';
  const findings = [ok('api', 'Answers.'), wrong('settings', fault, 'mend it')];
  const context = { stdout: createOutput(stream, { NO_COLOR: '1' }) };
  expect(printFindings(context, findings, false)).toBe(1);
  expect(text.split('\n')).toEqual([
    '✓ api       Answers.',
    '✗ settings  mcp.json:1:3  error  syntax',
    '              1 | {,',
    '                |  ^ This is not JSON.',
    '            hint: mend it',
    '',
  ]);
});
