import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text as readAll } from 'node:stream/consumers';

import { jsonIn, testInstallation } from '@baton/testing';
import { describe, expect, test } from 'vitest';

import { Context } from './context.ts';
import { WorkflowWatch } from './dev/workflowWatch.ts';
import { runCommandLine } from './program.ts';

const files = {
  'waits.workflow.yaml': 'workflow: waits\nsteps:\n  - id: nap\n    wait: 1h\n',
  'broken.workflow.yaml': 'workflow: broken\nsteps:\n  - id: a\n    tol: tools/echo\n',
  'unknown.workflow.yaml': 'workflow: unknown\nsteps:\n  - id: a\n    tool: tools/ecko\n',
};
/** `tol` is found without servers, `tools/ecko` by them. */
const twoMistakes = 'workflow: both\nsteps:\n  - id: a\n    tool: tools/ecko\n  - id: b\n    tol: tools/echo\n';
/** Where the installation is, as every command learns it. */
let env: Context['env'] = {};
const installation = testInstallation({
  commandLine: (args, streams) => {
    env = streams.env;
    return runCommandLine(args, streams);
  },
  files,
});
const { baton, write } = installation;

describe('workflow files', () => {
  test('that are wrong are answered with a place, a frame and a hint', async () => {
    const { code, stdout } = await baton(['check', 'broken.workflow.yaml']);
    expect(code).toBe(1);
    expect(stdout).toContain('broken.workflow.yaml:4:5  error  missing-verb');
    expect(stdout).toMatch(/ 4 \| {5}tol: tools\/echo\n {4}\| {5}\^\^\^ /);
    expect(stdout).toContain('did you mean "tool"?');
    const run = await baton(['run', './broken.workflow.yaml']);
    expect(run).toMatchObject({ code: 2, stdout: '' });
    expect(run.stderr).toContain('broken.workflow.yaml:4:5');
  });

  test('that are not UTF-8 are refused, and --fix leaves each byte of them', async () => {
    const latin1 = Buffer.from('workflow: w\ntitle: caf\xe9\nstps:\n  - set: { a: 1 }\n', 'latin1');
    const path = join(installation.folder, 'latin1.yaml');
    await writeFile(path, latin1);
    expect(await baton(['check', '--fix', 'latin1.yaml'])).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('latin1.yaml is not UTF-8: look at line 2.') as string,
    });
    expect(await readFile(path)).toEqual(latin1);
  });

  test('are those of the folder where none is named', async () => {
    const { code, stdout } = await baton(['check']);
    expect(code).toBe(1);
    expect(stdout).toContain('broken.workflow.yaml:4:5  error  missing-verb');
    expect(stdout).toMatch(/1 error, 0 warnings in \d+ files/);
  });

  test('in packages, in hidden folders and in what a build wrote are not those of the folder', async () => {
    for (const folder of ['node_modules', '.hidden', 'dist', 'flows'])
      for (const place of [folder, join(folder, 'deep')]) {
        await mkdir(join(installation.folder, 'tree', place), { recursive: true });
        await write(join('tree', place, 'waits.workflow.yaml'), files['waits.workflow.yaml']);
      }
    // Both have the same workflow, so the second one is in a finding.
    expect(jsonIn(await baton(['check', 'tree', '--format', 'json']))).toMatchObject({
      files: 2,
      findings: [{ code: 'duplicate-workflow', file: 'tree/flows/waits.workflow.yaml' }],
    });
    // Named itself, such a folder is read.
    expect((await baton(['check', 'tree/dist'])).stdout).toContain('2 files');
  });

  test('are told what is wrong without servers before a key is asked for', async () => {
    const refused = await baton(['check', '--servers', 'broken.workflow.yaml'], { env: { BATON_API_KEY: 'wrong' } });
    expect(refused).toMatchObject({ code: 4, stderr: expect.stringContaining('BATON_DATA') as string });
    expect(refused.stdout).toContain('broken.workflow.yaml:4:5  error  missing-verb');
    const right = await baton(['check', '--servers', 'waits.workflow.yaml'], { env: { BATON_API_KEY: 'wrong' } });
    expect(right).toMatchObject({ code: 4, stdout: '' });
  });

  test('with findings name the command that says more, at a terminal only', async () => {
    const broken = ['check', 'broken.workflow.yaml'];
    const hint = /More about a finding: baton explain missing-verb/;
    expect((await baton(broken, { terminal: () => undefined })).stderr).toMatch(hint);
    expect((await baton(broken)).stderr).not.toMatch(hint);
    expect((await baton([...broken, '--json'], { terminal: () => undefined })).stderr).not.toMatch(hint);
    // An error is named before a warning that comes first.
    const steps = '[{ id: a, if: inputs.level == "hihg", set: { x: 1 } }, { id: b, set: { x: 1 }, titel: x }]';
    await write(
      'mixed.yaml',
      `workflow: mixed\ninputs: { level: { type: string, enum: [low, high] } }\nsteps: ${steps}\n`,
    );
    const mixed = await baton(['check', 'mixed.yaml'], { terminal: () => undefined });
    expect(mixed.stdout).toMatch(/ {2}warning {2}[^]* {2}error {2}unknown-key/);
    expect(mixed.stderr).toContain('baton explain unknown-key');
  });

  test('are checked against the servers where that is asked for', async () => {
    expect(await baton(['check', 'unknown.workflow.yaml'])).toMatchObject({
      code: 0,
      stdout: '✓ 1 file, no errors; tools were not checked: baton check --servers unknown.workflow.yaml\n',
      stderr: '',
    });
    // It uses no server.
    expect((await baton(['check', 'waits.workflow.yaml'])).stdout).toBe('✓ 1 file, no errors\n');
    const { code, stdout } = await baton(['check', '--servers', 'unknown.workflow.yaml']);
    expect(code).toBe(1);
    expect(stdout).toContain('unknown.workflow.yaml:4:11  error  unknown-tool');
    expect(stdout).toContain('tools/echo');
    const run = await baton(['run', './unknown.workflow.yaml']);
    expect([run.code, run.stderr]).toEqual([2, expect.stringContaining('unknown.workflow.yaml:4:11  error')]);
  });

  test('that are wrong are told every mistake at once, with and without servers', async () => {
    const file = 'both.workflow.yaml';
    await write(file, twoMistakes);
    const mistakes = [expect.stringContaining(`${file}:4:11  error`), expect.stringContaining(`${file}:6:5  error`)];
    for (const command of [['deploy'], ['deploy', '--dry-run'], ['run'], ['check', '--servers']]) {
      const { stdout, stderr } = await baton([...command, `./${file}`]);
      const told = (stdout + stderr).split('\n');
      expect({ command, told }).toEqual({ command, told: expect.arrayContaining(mistakes) });
    }
    const refused = await baton(['run', `./${file}`], { env: { BATON_API_KEY: 'wrong' } });
    expect(refused.stderr).toContain('was not checked against the servers: ');
    expect(refused.stderr).toContain(`${file}:6:5  error`);
  });

  test('are mended where the mend is certain, and shown first where that is asked for', async () => {
    await write(
      'slips.workflow.yaml',
      'workflow: slips\nsteps:\n  - id: a\n    tol: tools/ecko\n    tiemout: 5 seconds\n',
    );
    await write('unsure.workflow.yaml', 'workflow: unsure\nsteps:\n  - wait: 10\n');
    expect((await baton(['check', '--fix', 'unsure.workflow.yaml'])).stderr).toBe(
      'No correction is certain.\nThese may be right, and are left to you:\n? unsure.workflow.yaml:3:11 Write "10s" (A duration needs a unit.)\n',
    );
    const shown = await baton(['check', '--fix', '--dry-run', 'slips.workflow.yaml']);
    expect(shown.stderr).toContain('slips.workflow.yaml:5:5 Write "timeout"');
    expect(shown.code).toBe(1);
    const offline = await baton(['check', '--fix', 'slips.workflow.yaml']);
    expect(offline.stderr).toContain('3 corrections made.');
    const mended = await baton(['check', '--fix', '--servers', 'slips.workflow.yaml']);
    expect(mended).toMatchObject({ code: 0, stderr: expect.stringContaining('Write "echo"') as string });
    expect((await baton(['check', '--fix', 'slips.workflow.yaml'])).stderr).toContain('No correction is certain.');
  });

  test('are formatted, or only looked at', async () => {
    const loose = 'steps:\n  - set: { a: 1 }\n    id: x\nworkflow: loose\n';
    await write('loose.workflow.yaml', loose);
    expect(await baton(['fmt', '--check', 'loose.workflow.yaml'])).toMatchObject({
      code: 1,
      stdout: 'loose.workflow.yaml\n',
    });
    expect((await baton(['fmt', 'loose.workflow.yaml'])).code).toBe(0);
    expect(await baton(['fmt', '--check', 'loose.workflow.yaml'])).toMatchObject({ code: 0, stdout: '' });
  });

  test('have a schema with the tools of this installation', async () => {
    const plain = await baton(['schema']);
    expect(JSON.parse(plain.stdout)).toMatchObject({ title: 'Baton workflow' });
    const { stdout } = await baton(['schema', '--servers']);
    expect(stdout).toContain('"const": "tools/echo"');
    expect(stdout).toContain('"tool tools/echo"');
  });

  test('are deployed together, or not at all where one has a fault', async () => {
    const dry = await baton(['deploy', '--dry-run', 'unknown.workflow.yaml']);
    expect(dry).toMatchObject({ code: 2, stdout: 'unknown.workflow.yaml\trefused\n' });
    const files = ['waits.workflow.yaml', 'broken.workflow.yaml', 'greet.workflow.yaml'];
    const { code, stdout, stderr } = await baton(['deploy', ...files]);
    expect(code).toBe(2);
    expect(stdout.trim().split('\n')).toEqual([
      'waits.workflow.yaml\tvalid',
      'broken.workflow.yaml\trefused',
      'greet.workflow.yaml\tvalid',
    ]);
    expect(stderr).toContain('1 of 3 files cannot be deployed. Nothing was deployed.');
    expect((await baton(['deploy', 'waits.workflow.yaml', 'greet.workflow.yaml'])).stdout.trim().split('\n')).toEqual([
      'waits@1\tdeployed\twaits.workflow.yaml',
      'greet@1\tunchanged\tgreet.workflow.yaml',
    ]);
  });

  test('with one name are refused together, at the name in the second, which tells the first', async () => {
    await mkdir(join(installation.folder, 'twins'));
    const twin = 'workflow: twin\nsteps:\n  - set: { a: 1 }\n';
    await write('twins/a.workflow.yaml', twin);
    await write('twins/b.workflow.yaml', `title: B\n${twin}`);
    const [a, b] = ['a', 'b'].map((name) => join('twins', `${name}.workflow.yaml`));
    for (const args of [['twins'], [`${a}`, `${b}`], ['--servers', 'twins']]) {
      const { code, stdout } = await baton(['check', ...args]);
      expect({ args, code }).toEqual({ args, code: 1 });
      expect(stdout).toContain(`${b}:2:11  error  duplicate-workflow`);
      expect(stdout).toContain(`${a} is the workflow "twin" too.`);
      expect(stdout).toContain('1 error, 0 warnings in 2 files');
    }
    const deploy = await baton(['deploy', 'twins']);
    expect(deploy).toMatchObject({ code: 2, stdout: `${a}\tvalid\n${b}\trefused\n` });
    expect(deploy.stderr).toContain(`${b}:2:11  error  duplicate-workflow`);
    expect(deploy.stderr).toContain('1 of 2 files cannot be deployed. Nothing was deployed.');
    expect((await baton(['workflows', 'show', 'twin'])).code).toBe(3);
  });

  test('are called undeployed only if the server deployed none', async () => {
    expect(await baton(['secrets', 'set', 'SHORT'], { input: 'shorter than 16\n' })).toMatchObject({ code: 0 });
    const hook = 'on: [{ webhook: knock, secret: SHORT }]';
    await write('sound.workflow.yaml', 'workflow: sound\nsteps: [{ set: { a: 1 } }]\n');
    await write('weak.workflow.yaml', `workflow: weak\n${hook}\nsteps: [{ set: { a: 1 } }]\n`);
    const { code, stdout, stderr } = await baton(['deploy', 'sound.workflow.yaml', 'weak.workflow.yaml']);
    expect({ code, stdout }).toEqual({
      code: 2,
      stdout: 'sound@1\tdeployed\tsound.workflow.yaml\nweak.workflow.yaml\trefused\n',
    });
    expect(stderr).toContain('weak-secret');
    expect(stderr).toMatch(/1 of 2 files cannot be deployed\.\n$/);
  });

  test('that are folders are told so, where a file was expected', async () => {
    await mkdir(join(installation.folder, 'folder'));
    const run = await baton(['run', './folder']);
    expect(run).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('cannot be read: it is a folder.') as string,
    });
    const inputs = await baton(['run', 'greet', '--inputs', 'folder']);
    expect(inputs.stderr).toContain('The inputs in folder cannot be read: it is a folder.');
  });

  test('that init writes are right, run as they are, and are never written over', async () => {
    const first = await baton(['init', 'hello', 'flows']);
    expect(first.code).toBe(0);
    expect(first.stdout.trim().split('\n')).toEqual(
      expect.arrayContaining(
        ['hello.workflow.yaml', 'AGENTS.md', 'workflow-language.md'].map((name) => join('flows', name)),
      ),
    );
    expect((await baton(['check', 'flows'])).code).toBe(0);
    expect((await baton(['test', 'flows'])).code).toBe(0);
    expect((await baton(['init', 'watch-folder', 'watching'])).stderr).toContain('> inbox/hello.txt');
    expect(await baton(['test', 'watching'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('passed') as string,
    });
    await baton(['init', 'follow-notes', 'following']);
    expect((await baton(['test', 'following'])).code).toBe(0);
    expect(await baton(['init', 'helo'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('hello, approval') as string,
    });
    const ended = await baton(['run', './flows/hello.workflow.yaml', '-i', 'name=Ada', '--wait']);
    expect(jsonIn(ended)).toEqual({ greeting: 'Hello, Ada!' });
    await write('flows/hello.workflow.yaml', 'mine');
    const again = await baton(['init', 'hello', 'flows']);
    expect(again).toMatchObject({ code: 0, stdout: '' });
    expect(again.stderr).toContain('already exists, and is kept');
  });
});

test('a watched file that is gone is told, and its workflow stays', async () => {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const context = new Context({ env, stdin, stdout, stderr });
  const folder = join(installation.folder, 'watched');
  const file = (name: string): string => join(folder, `${name}.workflow.yaml`);
  const textOf = (name: string): string => `workflow: ${name}\nsteps:\n  - set: { done: true }\n`;
  await mkdir(folder);
  for (const name of ['stays', 'leaves', 'moves']) await writeFile(file(name), textOf(name));
  const watch = new WorkflowWatch(context, await context.client(), folder);
  await watch.look();
  expect(await watch.withoutFile()).not.toContain('leaves');
  await rm(file('leaves'));
  await rename(file('moves'), file('elsewhere'));
  // A file that is wrong now still has its workflow.
  await writeFile(file('stays'), 'workflow: stays\nsteps: none\n');
  await watch.look();
  // What only a server knows is told in the same round.
  await writeFile(file('stays'), twoMistakes.replace('both', 'stays'));
  await watch.look();
  stderr.end();
  const all = await readAll(stderr);
  expect(all).toContain(`${file('stays')}:4:11  error`);
  expect(all).toContain(`${file('stays')}:6:5  error`);
  const told = all.split('\n').filter((line) => line.includes(' is gone'));
  expect(told).toEqual([
    `! ${file('leaves')} is gone. Its workflow leaves stays deployed, and a trigger can still start it. Delete it: baton workflows delete leaves`,
  ]);
  const without = await watch.withoutFile();
  expect(without).toContain('leaves');
  expect(without).not.toContain('stays');
});

test('watched files with one workflow are not deployed until only one has it', async () => {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const context = new Context({ env, stdin, stdout, stderr });
  const folder = join(installation.folder, 'alike');
  await mkdir(folder);
  const [a = '', b = ''] = ['a', 'b'].map((name) => join(folder, `${name}.workflow.yaml`));
  const alike = (value: number): string => `workflow: alike\nsteps:\n  - set: { a: ${value} }\n`;
  await writeFile(a, alike(1));
  await writeFile(b, alike(2));
  const client = await context.client();
  const watch = new WorkflowWatch(context, client, folder);
  const versionNow = async (): Promise<number | undefined> =>
    (await Array.fromAsync(client.workflows.all())).find(({ id }) => id === 'alike')?.version;
  await watch.look();
  await watch.look();
  expect(await versionNow()).toBeUndefined();
  await writeFile(b, alike(2).replace('alike', 'other'));
  await watch.look();
  expect(await versionNow()).toBe(1);
  // A copy does not replace what it was copied from, and is told again.
  await writeFile(b, alike(3));
  await watch.look();
  expect(await versionNow()).toBe(1);
  stderr.end();
  const lines = (await readAll(stderr)).split('\n');
  const notDeployed = `✗ ${b} was not deployed: ${a} is the workflow "alike" too.`;
  expect(lines.filter((line) => line.includes('was not deployed'))).toEqual([
    `✗ ${a} was not deployed: ${b} is the workflow "alike" too.`,
    notDeployed,
    notDeployed,
  ]);
  expect(lines.filter((line) => line.startsWith(`${b}:1:11  error  duplicate-workflow`))).toHaveLength(2);
});
