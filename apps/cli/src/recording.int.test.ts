import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { type EndedProcess, jsonIn, testInstallation } from '@baton/testing';
import { describe, expect, test } from 'vitest';

import { runCommandLine } from './program.ts';

const installation = testInstallation({ commandLine: runCommandLine });
const { baton, begin, write } = installation;

/** Where no Baton is. */
const alone = (args: readonly string[], input?: string): Promise<EndedProcess> =>
  baton(args, { env: { BATON_URL: 'http://127.0.0.1:1' }, ...(input === undefined ? {} : { input }) });

describe('a recorded run', () => {
  test('is replayed without servers, and shows what a change of the workflow does', async () => {
    const recording = await baton(['run', 'greet', '-i', 'name=Ada', '--record', 'greet.test.yaml']);
    expect(recording.code).toBe(0);
    expect(jsonIn(recording)).toEqual({ greeting: 'Hello, Ada!', times: 1 });
    expect(recording.stderr).toContain('baton test greet.test.yaml');
    expect(await alone(['test', '.'])).toEqual({ code: 0, stdout: '✓ greet.test.yaml passed\n', stderr: '' });

    const file = join(installation.folder, 'greet.workflow.yaml');
    const workflow = await readFile(file, 'utf8');
    await write('greet.workflow.yaml', workflow.replace('Hello,', 'Good day,'));
    const old = await baton(['run', 'greet', '-i', 'name=Ada']);
    expect(old.stderr).toContain('note: greet.workflow.yaml is not what is deployed: greet@1 runs.');
    const failed = await alone(['test', 'greet.test.yaml']);
    expect(failed.code).toBe(1);
    expect(failed.stdout).toBe(`✗ greet.test.yaml failed
  hello: tools/echo is called with different arguments
    with.message
    - "Hello, Ada!"
    + "Good day, Ada!"
`);
    expect(JSON.parse((await alone(['test', '.', '--json'])).stdout)).toMatchObject([
      { file: 'greet.test.yaml', status: 'failed', differences: [{ path: 'hello', at: 'with.message' }] },
    ]);
    expect((await alone(['test', '.', '--update'])).stdout).toContain('greet.test.yaml updated');
    expect((await alone(['test', '.'])).code).toBe(0);
    await write('greet.workflow.yaml', workflow);
  });

  test('that failed can become a test afterwards; an unfinished or cancelled one cannot', async () => {
    await write(
      'fails.workflow.yaml',
      'workflow: fails\nsteps:\n  - { id: stop, tool: tools/fail, with: { message: not today } }\n',
    );
    const { id } = jsonIn(await baton(['run', './fails.workflow.yaml', '--wait', '--json']));
    const recorded = await baton(['runs', 'record', String(id), 'fails.test.yaml']);
    expect(recorded).toMatchObject({ code: 0, stdout: '' });
    expect(await readFile(join(installation.folder, 'fails.test.yaml'), 'utf8')).toContain('message: not today');
    expect((await alone(['test', 'fails.test.yaml'])).code).toBe(0);
    const elsewhere = await baton(['runs', 'record', String(id), 'nowhere/fails.test.yaml']);
    expect(elsewhere.stderr).toContain('hint: name the file of the workflow: -w FILE');

    await write('waits.workflow.yaml', 'workflow: waits\nsteps:\n  - wait: 1h\n');
    const waiting = (await baton(['run', './waits.workflow.yaml'])).stdout.trim();
    expect((await baton(['runs', 'record', waiting, 'waits.test.yaml'])).code).toBe(5);
    await baton(['runs', 'cancel', waiting]);
    await baton(['runs', 'watch', waiting]);
    expect((await baton(['runs', 'record', waiting, 'waits.test.yaml'])).code).toBe(5);
  });

  test('that was retried twice holds what its runs kept: calls, answers and signals', async () => {
    await write(
      'mended.workflow.yaml',
      `workflow: mended
steps:
  - { id: allowed, ask: Go on?, form: { type: object, properties: { yes: { type: boolean } } } }
  - { id: paid, wait: { signal: paid } }
  - { id: said, tool: tools/echo, with: { message: "\${{ string(steps.paid.output.amount) }}" } }
  - id: each
    forEach: [1, 2]
    as: number
    steps: [{ id: shown, tool: tools/echo, with: { message: "\${{ string(number) }}" } }]
  - { id: first, tool: tools/flaky, effect: write, with: { failures: 1 } }
  - { id: second, tool: tools/flaky, effect: write, with: { failures: 3 } }
outputs: { said: "\${{ steps.said.text }}", shown: "\${{ steps.each.count }}" }
`,
    );
    const watching = begin(['run', './mended.workflow.yaml', '--watch']);
    const run = /run (\S+) of mended/.exec(await watching.told('Go on?'))?.[1] ?? '';
    await baton(['signal', run, 'paid', '-i', 'amount=12']);
    const [question] = JSON.parse((await baton(['answer', '--json'])).stdout) as { id: string }[];
    await baton(['answer', question?.id ?? '', '-i', 'yes=true']);
    await watching.ended;
    const once = (await baton(['runs', 'retry', run])).stdout.trim();
    await baton(['runs', 'watch', once]);
    const twice = (await baton(['runs', 'retry', once])).stdout.trim();
    await baton(['runs', 'watch', twice]);
    const recorded = await baton(['runs', 'record', twice, 'mended.test.yaml']);
    expect(recorded.stderr).toContain('Recorded in');
    expect(await alone(['test', 'mended.test.yaml'])).toMatchObject({ code: 0 });
  });

  test('is written only where `baton test` finds it, beside its workflow; else nothing is run', async () => {
    const elsewhere = await baton(['run', 'greet', '-i', 'name=Ada', '--record', 'notes.md']);
    expect(elsewhere).toMatchObject({ code: 2, stdout: '' });
    expect(elsewhere.stderr).toContain('.test.yaml');
    const homeless = await baton(['run', 'greet', '-i', 'name=Ada', '--record', 'nowhere/greet.test.yaml']);
    expect(homeless).toMatchObject({ code: 2, stdout: '' });
    expect(homeless.stderr).toContain('greet.workflow.yaml');
  });

  test('that cannot be read, or whose workflow is gone, is reported', async () => {
    await write('odd.test.yaml', 'workflow: greet.workflow.yaml\ncals: []\n');
    const odd = await alone(['test', 'odd.test.yaml']);
    expect([odd.code, odd.stdout]).toEqual([2, '✗ odd.test.yaml invalid\n']);
    expect(odd.stderr).toContain('odd.test.yaml:2:1  error  unknown-key');
    const gone = await alone(['test', '-'], 'workflow: gone.workflow.yaml\n');
    expect([gone.code, gone.stdout]).toEqual([2, expect.stringContaining('gone.workflow.yaml')]);
  });

  test('of each example still replays as recorded', async () => {
    const examples = fileURLToPath(new URL('../../../examples', import.meta.url));
    const { code, stdout } = await alone(['test', examples]);
    expect(code).toBe(0);
    expect(stdout.trim().split('\n').length).toBeGreaterThan(2);
  });
});
