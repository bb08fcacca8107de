import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as readAll } from 'node:stream/consumers';

import { appFile } from '@baton/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { Installation } from './installation.ts';

const head = 'workflow: bad\nsteps:\n';

/** What is wrong, the file, its code, and the line on which it is. */
const files: readonly (readonly [string, string, string, number])[] = [
  ['no verb', `${head}  - id: a\n    with: {}\n`, 'missing-verb', 3],
  ['two verbs', `${head}  - id: a\n    tool: s/t\n    prompt: s/p\n`, 'two-verbs', 5],
  ['an unknown key', `${head}  - id: a\n    tool: s/t\n    whit: {}\n`, 'unknown-key', 5],
  ['a wrong type', `${head}  - id: a\n    tool: s/t\n    retry: { attempts: lots }\n`, 'wrong-type', 5],
  ['an unknown step', `${head}  - id: a\n    set: { x: "\${{ steps.b.output }}" }\n`, 'unknown-step', 4],
  ['a bad expression', `${head}  - id: a\n    set: { x: "\${{ 1 + }}" }\n`, 'expression-syntax', 4],
  [
    'five thousand nested brackets',
    `${head}  - id: a\n    set: { x: ${'['.repeat(5_000)}${']'.repeat(5_000)} }\n`,
    'too-deep',
    4,
  ],
  ['a duplicate key', `${head}  - id: a\n    id: b\n    tool: s/t\n`, 'duplicate-key', 4],
  ['a tab for indentation', `${head}\t- id: a\n`, 'yaml-tab', 3],
];

describe('a bad file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'baton-bad-'));
  let baton: Installation;

  beforeAll(async () => {
    baton = await Installation.start({ servers: {}, workers: 0 });
  });

  afterAll(async () => {
    await baton.stop();
    rmSync(folder, { recursive: true });
  });

  test.each(files)(
    'with %s is answered with a place and a reason, and nothing is stored',
    async (_, text, code, line) => {
      const { status, body } = await baton.api('POST', '/v1/workflows', text);
      expect(status).toBe(422);
      const errors = body['errors'] as { code: string; line: number; column: number; message: string }[];
      expect(errors.map((one) => [one.code, one.line])).toContainEqual([code, line]);
      for (const { message, column } of errors) {
        expect(message).toMatch(/[A-Za-z]/);
        expect(column).toBeGreaterThan(0);
      }
      expect((await baton.api('GET', '/v1/workflows')).body['data']).toEqual([]);
      expect((await baton.api('GET', '/healthz')).status).toBe(200);
    },
  );

  test.each(files)('with %s is told by `baton check`, without any server', async (_, text, code, line) => {
    const file = join(folder, 'bad.workflow.yaml');
    writeFileSync(file, text);
    const child = spawn(process.execPath, [appFile('cli'), 'check', '--format', 'json', file], {
      env: { PATH: process.env['PATH'] },
    });
    const [said, [exitCode]] = await Promise.all([readAll(child.stdout), once(child, 'exit')]);
    expect(exitCode).toBe(1);
    expect(said).toContain(`"code": "${code}"`);
    expect(said).toMatch(new RegExp(`"line": ${line}\\b`));
  });
});
