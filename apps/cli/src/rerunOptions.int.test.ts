import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { jsonIn, testInstallation, toolsServer } from '@baton/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { runCommandLine } from './program.ts';

const flow = `
workflow: flow
inputs: { end: { type: string }, times: { type: integer, default: 1 } }
steps:
  - { id: book, tool: tools/echo, effect: write, with: { message: booked } }
  - { id: look, tool: tools/echo, with: { message: looked } }
  - switch:
      - when: inputs.end == "bad"
        steps:
          - { id: stop, fail: it is bad }
outputs: { end: "\${{ inputs.end }}", times: "\${{ inputs.times }}" }
`;

const ledgers = mkdtempSync(join(tmpdir(), 'baton-cli-undo-'));
const undo = { tool: 'write', with: { undoes: '${{ call.arguments.of }}' } };

const { baton, write } = testInstallation({
  commandLine: runCommandLine,
  servers: { desk: { ...toolsServer(join(ledgers, 'desk')), baton: { tools: { post: { undo } } } } },
  files: { 'flow.workflow.yaml': flow },
});

beforeAll(async () => {
  const deployed = await baton(['deploy', 'flow.workflow.yaml']);
  if (deployed.code !== 0) throw new Error(deployed.stderr);
});

afterAll(() => rm(ledgers, { recursive: true, force: true }));

async function ran(end: string): Promise<string> {
  return String(jsonIn(await baton(['run', 'flow', '-i', `end=${end}`, '-i', 'times=4', '--wait', '--json']))['id']);
}

describe('a finished run, once more', () => {
  test('is retried with what was won; its id stands on stdout, what it does again on stderr', async () => {
    const id = await ran('bad');
    const retried = await baton(['runs', 'retry', id]);
    expect(retried.code).toBe(0);
    expect(retried.stdout).toMatch(/^[\da-f-]{36}\n$/);
    expect(retried.stderr).toContain('The outcomes of 2 steps are kept. No call will be repeated.');
    expect((await baton(['runs', 'watch', retried.stdout.trim()])).code).toBe(1);
    const several = await baton(['runs', 'retry', 'ffff0000', retried.stdout.trim()]);
    expect(several).toMatchObject({ code: 3, stdout: expect.stringMatching(/^[\da-f-]{36}\n$/) as string });
    expect(several.stderr).toContain('ffff0000: error: ');
    expect(jsonIn(await baton(['runs', 'show', retried.stdout.trim(), '--json']))).toMatchObject({ rerunOf: id });
  });

  test('that succeeded although items failed is retried with those items alone and what came after them', async () => {
    await write(
      'sweep.workflow.yaml',
      `workflow: sweep
steps:
  - id: all
    forEach: [a, b]
    onItemError: collect
    maxParallel: 1
    steps:
      - { id: first, tool: tools/echo, effect: write, with: { message: "\${{ item }}" } }
      - { id: second, tool: tools/flaky, effect: write, with: { failures: 1 } }
`,
    );
    const run = jsonIn(await baton(['run', './sweep.workflow.yaml', '--wait', '--json']));
    expect(run['status']).toBe('succeeded');
    const retried = jsonIn(await baton(['runs', 'retry', String(run['id']), '--json']));
    expect(retried).toMatchObject({ rerunOf: run['id'], again: [{ path: 'all/0/second', outcome: 'failed' }] });
    const id = String(retried['id']);
    expect((await baton(['runs', 'watch', id])).code).toBe(0);
    const { steps } = jsonIn(await baton(['runs', 'show', id, '--json'])) as { steps: { path: string }[] };
    expect(steps.filter(({ path }) => path.startsWith('all/')).map(({ path }) => path)).toContain('all/0/second');
    expect((await baton(['runs', 'retry', id])).stderr).toContain('no item of it failed');
    expect(jsonIn(await baton(['runs', 'show', String(run['id']), '--json']))).toMatchObject({ retriedAs: id });
  });

  test.each([
    ['a child run', 'flaw', '- { id: part, workflow: flaw }', 'part>stop'],
    [
      'an item that is a run of its own',
      'flawed',
      `- id: each
    forEach: [one]
    distribute: true
    steps:
      - { id: sent, tool: tools/echo, effect: write, with: { message: sent } }
      - { id: stop, tool: tools/flaky, effect: write, with: { failures: 9 } }`,
      'each/0/run>stop',
    ],
  ])(
    'is retried inside %s, and the preview tells the write that is made again there',
    async (_what, name, step, path) => {
      await write(
        'flaw.workflow.yaml',
        `workflow: flaw
steps:
  - { id: sent, tool: tools/echo, effect: write, with: { message: sent } }
  - { id: stop, tool: tools/flaky, effect: write, with: { failures: 9 } }
`,
      );
      await write('whole.workflow.yaml', `workflow: whole-${name}\nsteps:\n  ${step}\n`);
      for (const file of ['flaw', 'whole'])
        expect(await baton(['deploy', `${file}.workflow.yaml`])).toMatchObject({ code: 0 });
      const id = String(jsonIn(await baton(['run', `whole-${name}`, '--wait', '--json']))['id']);
      expect(await baton(['runs', 'retry', id, '--preview'])).toMatchObject({
        code: 0,
        stdout: `${path}\ttools/flaky\twrite\tfailed\n`,
      });
    },
  );

  test('is done again from a step on, and a preview tells which calls are made again', async () => {
    const id = await ran('good');
    expect((await baton(['runs', 'retry', id])).code).toBe(5);
    const preview = await baton(['runs', 'rerun', id, '--preview']);
    expect(preview).toMatchObject({
      code: 0,
      stdout: 'book\ttools/echo\twrite\tsucceeded\nlook\ttools/echo\tread\tsucceeded\n',
    });
    const rerun = await baton(['runs', 'rerun', id, '--from', 'look', '--json']);
    expect(jsonIn(rerun)).toMatchObject({ rerunOf: id, kept: 1, again: [{ path: 'look', effect: 'read' }] });
    const wrong = await baton(['runs', 'rerun', id, '--from', 'loook']);
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toContain('look');
  });

  test('[15.2] goes on with a mended version, and says when there is a newer one', async () => {
    const id = await ran('bad');
    await write('flow.workflow.yaml', flow.replace('message: looked', 'message: looked again'));
    const deployed = await baton(['deploy', 'flow.workflow.yaml']);
    if (deployed.code !== 0) throw new Error(deployed.stderr);
    const stays = await baton(['runs', 'retry', id, '--preview']);
    expect(stays.stderr).toContain('Version 2 is deployed; --workflow-version 2 continues with it.');
    const mended = await baton(['runs', 'retry', id, '--workflow-version', 'latest', '--preview']);
    expect(mended).toMatchObject({ code: 0, stdout: 'look\ttools/echo\tread\tsucceeded\n' });
    expect((await baton(['runs', 'retry', id, '--workflow-version', 'newest'])).code).toBe(2);
    const many = ['runs', 'retry', '--filter', `like=${id}`, '--workflow-version', 'latest', '--yes'];
    expect((await baton(many)).code).toBe(0);
    const { retriedAs } = jsonIn(await baton(['runs', 'show', id, '--json']));
    expect(jsonIn(await baton(['runs', 'show', String(retriedAs), '--json']))).toMatchObject({ version: 2 });
    const ofBaton = await baton(['runs', 'retry', id, '--version', 'latest']);
    expect(ofBaton).toMatchObject({ code: 2, stdout: '' });
    expect(ofBaton.stderr).toContain('--workflow-version latest');
  });

  test('is not retried without --yes where a write may have happened', async () => {
    const doubtful = `workflow: doubtful\nsteps:\n  - { id: pay, tool: tools/crash, effect: write, ifUnknown: fail }\n`;
    await write('doubtful.workflow.yaml', doubtful);
    expect(await baton(['deploy', 'doubtful.workflow.yaml'])).toMatchObject({ code: 0 });
    const id = String(jsonIn(await baton(['run', 'doubtful', '--wait', '--json']))['id']);
    const refused = await baton(['runs', 'retry', id]);
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toContain('pay: tools/crash (write), may have happened before');
    expect(refused.stderr).toContain('A call that writes may have happened, and would be made again.');
    expect(refused.stderr).toMatch(/add `--happened \S+` or `--not-happened \S+`, or --yes to make the call again/);
    expect(refused.stderr).toContain('--yes');
    const again = await baton(['runs', 'retry', id, '--yes', '--preview', '--not-happened', 'pay']);
    expect(again.stdout).toContain('pay\ttools/crash\twrite\tunknown, it did not happen, you say');
    const skipped = await baton(['runs', 'retry', id, '--happened', 'pay={"id": 7}']);
    expect(skipped).toMatchObject({ code: 0, stderr: expect.stringContaining('No call will be repeated.') });
    expect(await baton(['runs', 'watch', skipped.stdout.trim()])).toMatchObject({ code: 0 });
    expect((await baton(['runs', 'retry', id, '--happened', 'pay={'])).stderr).toContain('is not JSON');
    const retried = await baton(['runs', 'retry', id, '--yes']);
    // The server ends with the call: later tests start it again.
    expect(await baton(['runs', 'watch', retried.stdout.trim()])).toMatchObject({ code: 1 });
  });

  test('A retry asks before it repeats a write whose step has another id in the newer version', async () => {
    const deploy = async (ids: string): Promise<void> => {
      const steps = `  - { id: ${ids}, tool: tools/echo, effect: write, with: { message: renamed } }\n  - { id: stop, fail: no }`;
      await write('renamed.workflow.yaml', `workflow: renamed\nsteps:\n${steps}\n`);
      expect(await baton(['deploy', 'renamed.workflow.yaml'])).toMatchObject({ code: 0 });
    };
    await deploy('a');
    const id = String(jsonIn(await baton(['run', 'renamed', '--wait', '--json']))['id']);
    await deploy('aa');
    const retry = ['runs', 'retry', id, '--workflow-version', 'latest'];
    const refused = await baton(retry);
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    const named = 'aa: tools/echo (write), before: succeeded at the step a (gone) with the same arguments';
    expect(refused.stderr).toContain(named);
    expect(jsonIn(await baton([...retry, '--preview', '--json']))).toMatchObject({
      unmatched: ['a'],
      again: [{ path: 'aa', effect: 'write', outcome: 'succeeded', formerly: 'a', sameArguments: true }],
    });
  });

  test('The last run is the one that a person started, not its child; a retry of a child names the parent to retry', async () => {
    await write('kid.workflow.yaml', 'workflow: kid\nsteps:\n  - { id: stop, fail: no }\n');
    await write('parent.workflow.yaml', 'workflow: parent\nsteps:\n  - { id: child, workflow: kid }\n');
    expect(await baton(['deploy', 'kid.workflow.yaml', 'parent.workflow.yaml'])).toMatchObject({ code: 0 });
    const id = String(jsonIn(await baton(['run', 'parent', '--wait', '--json']))['id']);
    expect(jsonIn(await baton(['runs', 'show', 'last', '--json']))).toMatchObject({ id });
    const [child] = JSON.parse((await baton(['runs', 'ls', '--trigger', 'workflow', '--json'])).stdout) as {
      id: string;
    }[];
    const retried = await baton(['runs', 'retry', child?.id ?? '', '--preview']);
    expect(retried.stderr).toContain(`note: it is a child run of ${id}. \`baton runs retry ${id}\` retries it too`);
    expect((await baton(['runs', 'retry', id, '--preview'])).stderr).not.toContain('child run');
  });

  test('is run again at once by a script; a person is asked where writes happened', async () => {
    const id = await ran('good');
    expect((await baton(['runs', 'rerun', id])).stdout).toMatch(/^[\da-f-]{36}\n$/);
    const declined = await baton(['runs', 'rerun', id], {
      terminal: (shown, type) => (shown.includes('happened before. Make it again?') ? type('n') : undefined),
    });
    expect(declined).toMatchObject({ code: 130, stdout: '' });
    expect(declined.stderr).toContain('book: tools/echo (write), before: succeeded');
    expect(declined.stderr).not.toContain('look: tools/echo');
    const agreed = await baton(['runs', 'rerun', id, '--yes'], { terminal: () => undefined });
    expect(agreed.stdout).toMatch(/^[\da-f-]{36}\n$/);
  });

  test('A rerun with the latest version is one with the version whose calls a person agreed to', async () => {
    const other = flow.replace('workflow: flow', 'workflow: moving');
    const deploy = async (message: string): Promise<void> => {
      await write('moving.workflow.yaml', other.replace('looked', message));
      expect(await baton(['deploy', 'moving.workflow.yaml'])).toMatchObject({ code: 0 });
    };
    await deploy('first');
    const id = String(jsonIn(await baton(['run', 'moving', '-i', 'end=good', '--wait', '--json']))['id']);
    await deploy('second');
    let third: Promise<void> | undefined;
    const args = ['runs', 'rerun', id, '--from', 'book', '--workflow-version', 'latest', '--json'];
    const rerun = await baton(args, {
      terminal: (shown, type) => {
        if (shown.includes('Make it again?')) third ??= deploy('third').then(() => type('y'));
      },
    });
    await third;
    expect(jsonIn(rerun)).toMatchObject({ rerunOf: id, version: 2 });
    expect(jsonIn(await baton(['workflows', 'show', 'moving', '--json']))).toMatchObject({ version: 3 });
  });

  test('takes one input anew and keeps the others, and shows how it goes', async () => {
    const id = await ran('bad');
    const watched = await baton(['runs', 'rerun', id, '-i', 'end=good', '--watch', '--idempotency-key', 'anew']);
    expect(watched.code).toBe(0);
    expect(watched.stdout).toContain('"end": "good"');
    expect(watched.stdout).toContain('"times": 4');
    expect(watched.stderr).toContain('book: tools/echo (write), before: succeeded');
    const refused = await baton(['runs', 'rerun', id, '-i', 'times=often']);
    expect(refused).toMatchObject({ code: 2, stdout: '' });
  });
});

test('What a run wrote is undone after a preview and a yes, and the id of the run that does it stands on stdout', async () => {
  const steps = '  - { id: seat, tool: desk/post, with: { of: 7B } }\n  - { id: note, tool: desk/write }\n';
  await write('booked.workflow.yaml', `workflow: booked\nsteps:\n${steps}`);
  expect(await baton(['deploy', 'booked.workflow.yaml'])).toMatchObject({ code: 0 });
  const id = String(jsonIn(await baton(['run', 'booked', '--wait', '--json']))['id']);
  const preview = await baton(['runs', 'undo', id, '--preview']);
  expect(preview).toMatchObject({ code: 0, stdout: '' });
  expect(preview.stderr).toContain('  seat (desk/post): desk/write {"undoes":"7B"}\n');
  expect(preview.stderr).toContain('What stays:\n  note (desk/write): No undo is declared for write');
  const refused = await baton(['runs', 'undo', id]);
  expect(refused).toMatchObject({ code: 2, stdout: '' });
  expect(refused.stderr).toContain('add --yes');
  const undone = await baton(['runs', 'undo', id, '--yes']);
  expect(undone.stdout).toMatch(/^[\da-f-]{36}\n$/);
  expect(await baton(['runs', 'watch', undone.stdout.trim()])).toMatchObject({ code: 0 });
  expect(await baton(['runs', 'undo', id, '--yes'])).toMatchObject({ code: 0, stdout: undone.stdout });
  expect((await baton(['runs', 'show', id])).stdout).toContain(`Its undo is the run ${undone.stdout.trim()}.`);
  expect((await baton(['runs', 'retry', undone.stdout.trim(), '--yes'])).stderr).toContain(`The run undoes ${id}.`);
});
