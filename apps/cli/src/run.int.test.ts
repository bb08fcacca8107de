import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { jsonIn, testInstallation } from '@baton/testing';
import { describe, expect, test } from 'vitest';

import { runCommandLine } from './program.ts';

const installation = testInstallation({ commandLine: runCommandLine });
const { baton, write } = installation;

const escape = '\u001B';

describe('a run from the command line', () => {
  test('gives its outputs on stdout, and a line per event on stderr', async () => {
    const { code, stdout, stderr } = await baton(['run', 'greet', '-i', 'name=Ada', '-i', 'times=3', '--watch']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({ greeting: 'Hello, Ada!', times: 3 });
    const lines = stderr.trim().split('\n');
    expect(lines.every((line) => /^\d{4}-\d\d-\d\dT[\d:.]+Z . /u.test(line))).toBe(true);
    expect(stderr).toContain('hello started tools/echo');
    expect(stderr).not.toContain(escape);
    expect(lines.at(-1)).toContain('the run succeeded');
  });

  test('tells a program every event as one line of JSON', async () => {
    const { code, stdout, stderr } = await baton(['run', 'greet', '-i', 'name=Ada', '--watch', '--json']);
    const events = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { seq: number; type: string });
    expect(code).toBe(0);
    expect(stderr).toBe('');
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, i) => i + 1));
    expect(events.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['run.requested', 'step.succeeded', 'run.finished']),
    );
  });

  test('says nothing until it is over with --wait, then prints the finished run', async () => {
    const ended = await baton(['run', 'greet', '-i', 'name=Grace', '--wait', '--json']);
    expect(ended.code).toBe(0);
    expect(ended.stderr).toBe('');
    expect(jsonIn(ended)).toMatchObject({ status: 'succeeded', outputs: { greeting: 'Hello, Grace!', times: 1 } });
    const steps = await baton(['runs', 'eval', 'last', 'steps']);
    expect(steps).toEqual({ code: 0, stdout: '{}\n', stderr: 'Name a step: steps.hello, steps.slowly\n' });
  });

  test('only prints its id without `--wait`, and the same key is the same run', async () => {
    const args = ['run', 'greet', '-i', 'name=Ada', '--idempotency-key', 'once'];
    const [first, second] = [await baton(args), await baton(args)];
    expect(first).toMatchObject({ code: 0, stderr: '' });
    expect(first.stdout).toMatch(/^[\da-f-]{36}\n$/);
    expect(second.stdout).toBe(first.stdout);
  });

  test('takes its inputs from stdin, and -i overrides them', async () => {
    const input = JSON.stringify({ name: 'Ada', times: 2 });
    const ended = await baton(['run', 'greet', '--inputs', '-', '-i', 'name=Grace', '--wait'], { input });
    expect(jsonIn(ended)).toEqual({ greeting: 'Hello, Grace!', times: 2 });
  });

  test('refuses inputs that a request with the same text would be refused for', async () => {
    const twice = await baton(['run', 'greet', '--inputs', '-'], { input: '{"name":"Ada","name":"Bo"}' });
    expect(twice).toMatchObject({ code: 2, stdout: '' });
    expect(twice.stderr).toContain(
      'The inputs in - cannot be taken. /name: The key "name" occurs twice in this object.',
    );
    const rounded = await baton(['run', 'greet', '--inputs', '-'], { input: '{"times":9007199254740993}' });
    expect(rounded.stderr).toContain('put quotes around it to keep it as text');
  });

  test('runs a file that was never deployed, from stdin too', async () => {
    const greet = await readFile(join(installation.folder, 'greet.workflow.yaml'), 'utf8');
    const tryOut = greet.replace('greet', 'try-out');
    const ended = await baton(['run', '-', '-i', 'name=Ada', '--wait'], { input: tryOut });
    expect(jsonIn(ended)).toMatchObject({ greeting: 'Hello, Ada!' });
    expect((await baton(['runs', 'ls', '--workflow', 'try-out'])).stdout).toContain('succeeded');
  });

  test.each(['--wait', '--watch'])(
    'says with %s where in a file an expression failed, and what it found',
    async (how) => {
      const text = 'workflow: wrong\nsteps:\n  - id: read\n    set:\n      x: "${{ int(\'Echo \' + run.workflow) }}"\n';
      const { code, stderr } = await baton(['run', '-', how], { input: text });
      expect(code).toBe(1);
      const said = stderr.replaceAll(/\s+/g, ' ');
      expect(said).toContain('the text "Echo wrong" cannot be read as an integer, such as "42".');
      expect(said).toContain('set.x: `int(');
      expect(said).toContain('at line 5, column 10 of the workflow');
      expect(said).toContain('hint: where it may be another text, test it first');
    },
  );

  test('is listed, shown as it was drawn, and shown as JSON', async () => {
    const { id } = jsonIn(await baton(['run', 'greet', '-i', 'name=Ada', '--wait', '--json', '--tag', 'shown']));
    const listed = await baton(['runs', 'ls', '--tag', 'shown']);
    expect(listed.stdout.split('\t').slice(0, 3)).toEqual([id, 'greet@1', 'succeeded']);
    const shown = await baton(['runs', 'show', String(id)]);
    expect(shown.stdout).toMatch(/^✓ Say it +tools\/echo/m);
    expect(shown.stdout).toContain('greeting: Hello, Ada!');
    expect(jsonIn(await baton(['runs', 'show', String(id), '--json']))).toMatchObject({ id, status: 'succeeded' });
    const watched = await baton(['runs', 'watch', String(id)]);
    expect(watched).toMatchObject({ code: 0 });
    expect(watched.stderr).toContain('the run succeeded');
  });

  test('cannot move the cursor of the terminal', async () => {
    const hostile = `${escape}[2J${escape}]0;owned\u0007\u202E\r\nnext`;
    await write(
      'hostile.workflow.yaml',
      'workflow: hostile\ninputs: { it: { type: string } }\nsteps:\n  - id: stop\n    fail: "${{ inputs.it }}"\n',
    );
    const input = JSON.stringify({ it: hostile });
    const { code, stdout, stderr } = await baton(['run', './hostile.workflow.yaml', '--inputs', '-', '--watch'], {
      input,
    });
    expect(code).toBe(1);
    const shown = await baton(['runs', 'ls', '--workflow', 'hostile']);
    const json = await baton(['runs', 'ls', '--workflow', 'hostile', '--json']);
    for (const text of [stdout, stderr, shown.stdout, json.stdout]) {
      expect(text.match(/(?![\n\t])[\p{Cc}\p{Cf}]/gu)).toBe(null);
    }
    expect((JSON.parse(json.stdout) as [{ inputs: unknown }])[0].inputs).toEqual({ it: hostile });
  });

  test('is coloured where that is asked for, unless NO_COLOR forbids it', async () => {
    const id = String(jsonIn(await baton(['run', 'greet', '-i', 'name=Ada', '--wait', '--json']))['id']);
    expect((await baton(['runs', 'show', id], { env: { FORCE_COLOR: '1' } })).stdout).toContain(`${escape}[32m`);
    const plain = await baton(['runs', 'show', id], { env: { FORCE_COLOR: '1', NO_COLOR: '1' } });
    expect(plain.stdout).not.toContain(escape);
  });
});
