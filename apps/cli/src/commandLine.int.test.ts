import { mkdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';

import { jsonIn, testInstallation } from '@baton/testing';
import { describe, expect, onTestFinished, test } from 'vitest';

import { runCommandLine } from './program.ts';

const installation = testInstallation({ commandLine: runCommandLine });
const { begin, baton, write } = installation;

describe('what there is', () => {
  test('settings are shown with their source, secrets masked', async () => {
    const env = { BATON_PORT: '4500', BATON_ADMIN_KEY: 'a-key-that-is-never-shown-to-users-0123456789' };
    const { code, stdout } = await baton(['settings'], { env });
    expect(code).toBe(0);
    expect(stdout).toContain('BATON_PORT\t4500\tenvironment');
    expect(stdout).not.toContain('is-never-shown-to-users');
  });

  test('a running Baton is found by its data folder, on any port', async () => {
    const found = await baton(['api', 'GET', 'workflows'], { env: { BATON_URL: '', BATON_PORT: '0' } });
    expect(found).toMatchObject({ code: 0, stdout: expect.stringContaining('greet') as string });
    const below = join(installation.folder, 'below', 'deep');
    const above = join(installation.folder, '.baton');
    await mkdir(below, { recursive: true });
    await symlink('data', above);
    process.chdir(below);
    onTestFinished(() => process.chdir(installation.folder));
    const unnamed = { env: { BATON_URL: '', BATON_DATA: '' } };
    expect(await baton(['workflows', 'ls'], unnamed)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('greet') as string,
      stderr: `Using the data folder ${above}.\n`,
    });
    expect((await baton(['settings'], unnamed)).stdout).toContain(`BATON_DATA\t${above}\tfolder above\t`);
    const { port } = new URL((await readFile(join(above, 'address'), 'utf8')).split('\n')[0] ?? '');
    expect(await baton(['dev', '--port', port], unnamed)).toMatchObject({
      code: 5,
      stderr: expect.stringContaining(`${installation.folder} has a Baton already.`) as string,
    });
    process.chdir(installation.folder);
    expect(await baton(['workflows', 'ls'], unnamed)).toMatchObject({ code: 0, stderr: '' });
    const elsewhere = await baton(['runs', 'ls'], { env: { BATON_URL: '', BATON_PORT: '0', BATON_DATA: 'none' } });
    expect(elsewhere).toMatchObject({
      code: 6,
      stderr: expect.stringMatching(
        /No Baton runs on the data folder none\.\nhint: start it with `baton dev`/,
      ) as string,
    });
  });

  test('a workflow of another system is imported, with findings at their places', async () => {
    const shell = 'on: push\njobs:\n  a:\n    steps:\n      - run: make ${{ runner.os }}\n';
    await write('make.yaml', shell);
    const made = await baton(['import', 'make.yaml', '-o', 'make.workflow.yaml']);
    expect(made).toMatchObject({ code: 0, stdout: '' });
    expect(made.stderr).toContain('make.yaml:5:14  error  expression-not-imported');
    expect(made.stderr).toContain('mcp.json needs a server shell with the tools run');
    const checked = await baton(['check', 'make.workflow.yaml']);
    expect([checked.code, checked.stdout]).toEqual([1, expect.stringContaining('There is no function "notImported".')]);
    expect(await baton(['import', 'make.yaml', '-o', 'make.workflow.yaml'])).toMatchObject({ code: 2 });
    const json = jsonIn(await baton(['import', '-', '--json'], { input: '{"nodes":[],"connections":{}}' }));
    expect(json).toMatchObject({ system: 'n8n', findings: [], check: [] });
    const cut = await baton(['import', '-'], { input: '{"nodes":[' });
    expect(cut).toMatchObject({ code: 2, stderr: expect.stringContaining('stdin cannot be read.') as string });
    expect(await baton(['import', 'greet.workflow.yaml'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('is not a workflow of n8n or GitHub Actions') as string,
    });
  });

  test('an upgrade is checked against what is deployed and what is under way', async () => {
    await write('naps.workflow.yaml', 'workflow: naps\nsteps: [{ wait: 1h }]\n');
    const id = (await baton(['run', './naps.workflow.yaml'])).stdout.trim();
    const { code, stdout } = await baton(['upgrade-check']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/✓ version .* is (\S+); this is \1\./);
    expect(stdout).toMatch(/✓ workflows .*[1-9]\d* workflows? pass/);
    expect(stdout).toMatch(/✓ runs .*[1-9]\d* unfinished runs? can be continued/);
    expect((await baton(['runs', 'cancel', id])).code).toBe(0);
  });

  test('the API can be called directly', async () => {
    const started = await baton([
      'api',
      'POST',
      'runs',
      '-f',
      'workflow=greet',
      '-f',
      'inputs={"name":"Ada"}',
      '--include',
    ]);
    expect(started.code).toBe(0);
    expect(started.stdout).toMatch(/^202\n/);
    const refused = await baton(['api', 'POST', 'runs', '-f', 'workflow=greet', '-f', 'inputs={"name":"Eve"}']);
    expect(refused.code).toBe(2);
    expect(jsonIn(refused)).toMatchObject({ status: 422, errors: [{ pointer: '/inputs/name' }] });
  });

  test('the page is opened with a code that logs in once', async () => {
    const { code, stdout } = await baton(['open', '--print']);
    expect(code).toBe(0);
    const { origin, pathname, hash } = new URL(stdout.trim());
    expect({ pathname, hash }).toEqual({ pathname: '/', hash: expect.stringMatching(/^#code=[\w-]+\.[\w-]{43}$/) });
    const logIn = () =>
      fetch(`${origin}/v1/session`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ code: hash.slice('#code='.length) }),
      });
    expect(await (await logIn()).json()).toMatchObject({ scopes: ['admin'] });
    const sessions = async () => (await baton(['sessions', 'ls'])).stdout;
    const [id = '', key] = (await sessions()).split('\t');
    expect(key).toBe('admin');
    expect((await logIn()).status).toBe(401);
    expect((await baton(['sessions', 'end', id])).stderr).toMatch(/^The browser is logged out, /);
    expect(await sessions()).not.toContain(id);
  });

  test('runs are counted by time, and a workflow, a server and the queue have statistics', async () => {
    expect((await baton(['run', 'greet', '-i', 'name=Ada', '--wait'])).code).toBe(0);
    const counted = (await baton(['runs', 'histogram', '-w', 'greet', '--buckets', '2'])).stdout.trimEnd().split('\n');
    expect(counted).toEqual([
      expect.stringMatching(/^\d{4}-\S+Z\t0\t0\t$/),
      expect.stringMatching(/^\d{4}-\S+Z\t[1-9]\d*\t\d+\t█+$/),
    ]);
    expect((await baton(['runs', 'histogram', '--to', 'soon'])).code).toBe(2);
    expect((await baton(['runs', 'causes', '--to', '2026-01-02'])).stderr).toBe('No failed runs found.\n');
    expect((await baton(['runs', 'unknown', '-w', 'greet'])).stderr).toBe('No call has an unknown outcome.\n');
    expect((await baton(['audit', 'calls', '--outcome', 'lost'])).stderr).toContain(
      'succeeded, failed, retrying, unknown',
    );
    const ofDay = await baton(['runs', 'histogram', '--to', '2026-01-02', '--buckets', '2']);
    expect(ofDay.stdout.match(/^\S+/gm)).toEqual(['2026-01-02T00:00:00.000Z', '2026-01-02T12:00:00.000Z']);
    expect((await baton(['workflows', 'stats', 'greet'])).stdout).toMatch(/^\d+\t.*[1-9]\d* succeeded.*\t.*\d m?s/);
    expect((await baton(['servers', 'stats', 'tools'])).code).toBe(0);
    expect((await baton(['queue'])).stdout).toMatch(/^\d+\t(?:none|\d{4}-\S+Z)\t\d+\t\d+\t\d+\n$/);
    expect(jsonIn(await baton(['queue', '--json']))).toMatchObject({
      delayed: 0,
      running: expect.any(Number) as number,
    });
  });

  test('every list takes a filter of jq', async () => {
    const groups = ['runs', 'workflows', 'hooks', 'schedules', 'servers', 'secrets', 'keys', 'sessions', 'workers'];
    const lists = groups.map((group) => [group, 'ls']);
    for (const list of [...lists, ['runs', 'histogram'], ['audit', 'calls'], ['queue'], ['settings']]) {
      const { code, stdout } = await baton([...list, '--jq', 'type']);
      expect({ list, code, stdout: stdout.trim() }).toEqual({
        list,
        code: 0,
        stdout: expect.stringMatching(/^(?:array|object)$/) as string,
      });
    }
  });

  test('completion knows commands, options and names', async () => {
    const words = async (...line: string[]): Promise<string[]> =>
      (await baton(['__complete', '--', ...line])).stdout
        .trim()
        .split('\n')
        .map((one) => one.split('\t')[0] ?? '');
    expect(await words('runs', '')).toEqual(expect.arrayContaining(['ls', 'show', 'watch', 'cancel']));
    expect(await words('run', 'gr')).toEqual(['greet']);
    expect(await words('servers', 'call', 'tools', 'ech')).toEqual(['echo']);
    expect(await words('run', 'greet', '-i', '')).toEqual(['name=', 'times=']);
    expect(await words('init', '')).toEqual(['hello', 'approval', 'digest', 'follow-notes', 'watch-folder']);
    expect(await words('help', 'runs', 'sh')).toEqual(['show']);
    expect(await words('help', 'exit')).toEqual(['exit-codes']);
    expect(await words('help', 'run', '')).toEqual(['']);
    expect(await words('explain', 'tool-c')).toEqual(['tool-changed']);
    // Files: a new server is none of those that Baton has.
    expect(await words('add', 't')).toEqual(['']);
    expect(await words('audit', 'ls', '--action', 'secret.')).toEqual(['secret.set', 'secret.deleted']);
    expect(await words('audit', 'ls', '--by', '')).toEqual([expect.stringMatching(/^\w+$/)]);
    expect(await words('check', '--format', '')).toEqual(['text', 'json', 'github', 'sarif']);
    expect((await baton(['completion', 'bash'])).stdout).toContain('__complete');
  });

  test('codes are explained, with the address of an entry that this Baton serves', async () => {
    const { code, stdout } = await baton(['explain', 'unknown-key']);
    expect(code).toBe(0);
    expect(stdout).toContain('There is no such key at this place.\n\nFor example:\n\n  stpes:\n');
    const json = await baton(['explain', 'tool-changed', '--json']);
    const docs = JSON.parse(json.stdout) as { kind: string; docs: string }[];
    expect(docs.map(({ kind }) => kind)).toEqual(['finding', 'failure']);
    for (const { docs: address } of docs) {
      const { hash } = new URL(address);
      expect(hash).not.toBe('');
      expect(await (await fetch(address)).text()).toContain(`id="${hash.slice(1)}"`);
    }
    const away = await baton(['explain', 'unknown-key'], {
      env: { BATON_URL: '', BATON_DATA: 'none', BATON_PORT: '0' },
    });
    const [, file = ''] = /\n(.+\.md)#unknown-key\n$/.exec(away.stdout) ?? [];
    expect(await readFile(file, 'utf8')).toContain('unknown-key');
    expect((await baton(['explain'])).stdout).toMatch(/^unknown-key\tIts form\tThere is no such key/m);
  });

  test('a code that is not there is told the nearest one', async () => {
    expect(await baton(['explain', 'unknow-key'])).toMatchObject({
      code: 2,
      stdout: '',
      stderr: 'error: There is no code "unknow-key".\nhint: did you mean "unknown-key"?\n',
    });
    expect((await baton(['explain', 'zzz'])).stderr).toContain('list all codes with `baton explain`');
  });

  test.each(['last', '01a20ab9-4eac'])('the run %s is no code, and another command explains it', async (run) => {
    expect(await baton(['explain', run])).toMatchObject({
      code: 2,
      stderr: `error: "${run}" is a run, and not a code.\nhint: \`baton runs show ${run}\` says why it failed\n`,
    });
  });

  test('a value that is given without its option is told how to be given', async () => {
    const { code, stderr } = await baton(['run', 'greet', 'name=Ada']);
    expect(code).toBe(2);
    expect(stderr).toMatch(
      /too many arguments for 'run'.*\n\(Pass values as -i name=value\.\)\n\(use --help for details\)/,
    );
    expect((await baton(['run', 'greet', '--bogus'])).stderr).not.toContain('-i name=value');
    expect((await baton(['audit', 'list'])).stderr).toContain('(audit has: ls, calls, export, key, verify, begin)');
  });

  test('an option under the name that another command has for it is told by its own', async () => {
    expect((await baton(['runs', 'rerun', 'last', '--dry-run'])).stderr).toContain('(Did you mean --preview?)');
    expect((await baton(['deploy', '--preview', 'x.yaml'])).stderr).toContain('(Did you mean --dry-run?)');
    expect((await baton(['runs', 'ls', '--dry-run'])).stderr).not.toContain('preview');
  });

  test('help stands on stdout', async () => {
    for (const args of [[], ['--help'], ['run', '--help'], ['help', 'runs', 'ls'], ['help', 'exit-codes']]) {
      const { code, stdout, stderr } = await baton(args);
      expect({ args, code, stderr, isThere: stdout.length > 100 }).toEqual({
        args,
        code: 0,
        stderr: '',
        isThere: true,
      });
    }
  });
});

describe('who may do what', () => {
  test('a question is listed, answered in the form it asks for, and only once', async () => {
    await write(
      'asks.workflow.yaml',
      `workflow: asks
steps:
  - id: sure
    ask: May it go out?
    form: { type: object, properties: { approve: { type: boolean } }, required: [approve] }
  - id: paid
    wait: { signal: paid }
outputs: { approve: "\${{ steps.sure.output.approve }}", amount: "\${{ steps.paid.output.amount }}" }
`,
    );
    const watching = begin(['run', './asks.workflow.yaml', '--watch']);
    const run = /run (\S+) of asks/.exec(await watching.told('May it go out?'))?.[1] ?? '';
    const late = await baton(['runs', 'watch', run, '--timeout', '1ms']);
    expect(late.stderr).toMatch(/The run waits for an answer: baton answer [\w-]{36}\n$/);
    const listed = JSON.parse((await baton(['answer', '--json'])).stdout) as { id: string; runId: string }[];
    const question = listed.find(({ runId }) => runId === run)?.id ?? '';
    const unnamed = await baton(['answer', '-i', 'approve=true']);
    expect(unnamed).toMatchObject({ code: 2, stdout: '' });
    expect(unnamed.stderr).toContain('Name the question');
    expect((await baton(['answer', question, '-i', 'approve=perhaps'])).code).toBe(2);
    expect((await baton(['answer', question])).stderr).toContain('approve');
    expect((await baton(['answer', question, '-i', 'approve=true'])).code).toBe(0);
    expect((await baton(['answer', question, '-i', 'approve=false'])).code).toBe(5);
    await watching.told('for the signal');
    const unawaited = await baton(['signal', run, 'payed', '-i', 'amount=twelve']);
    expect(unawaited.stderr).toBe(
      'The signal is sent, with {"amount":"twelve"}.\nNo step waits for it yet; it is kept. Did you mean "paid"?\n',
    );
    expect((await baton(['signal', run, 'paid', '-i', 'amount=12'])).stderr).toMatch(/, with \{"amount":12\}\.\nWatch/);
    const ended = await watching.ended;
    expect({ code: ended.code, outputs: jsonIn(ended) }).toEqual({ code: 0, outputs: { approve: true, amount: 12 } });
  });

  test('a secret comes from stdin, and its value is never told', async () => {
    expect((await baton(['secrets', 'set', 'TOKEN'], { input: 'hush-hush\n' })).code).toBe(0);
    const { stdout } = await baton(['secrets', 'ls', '--json']);
    expect(JSON.parse(stdout)).toMatchObject([{ name: 'TOKEN', version: 1 }]);
    expect(stdout).not.toContain('hush-hush');
    expect((await baton(['secrets', 'rm', 'TOKEN'])).code).toBe(0);
    expect((await baton(['secrets', 'rm', 'TOKEN'])).code).toBe(3);
  });

  test('a key may do what it was made for, until it is revoked', async () => {
    const made = jsonIn(await baton(['keys', 'create', 'reader', '-s', 'runs:read', '--json']));
    const env = { BATON_API_KEY: String(made['key']) };
    expect((await baton(['runs', 'ls'], { env })).code).toBe(0);
    const refused = await baton(['secrets', 'ls'], { env });
    expect(refused).toMatchObject({ code: 4, stdout: '' });
    expect(refused.stderr).toContain('secrets:write');
    const listed = async (...args: string[]): Promise<string> => (await baton(['keys', 'ls', ...args])).stdout;
    expect(await listed()).toMatch(/\treader\tvalid\t\tservice\t\S+\truns:read$/m);
    const limits = ['--max-runs', '2', '--max-items', '30', '--max-checks', '4'];
    const limited = jsonIn(await baton(['keys', 'create', 'small', '-s', 'runs:write', ...limits, '--json']));
    expect(limited['limits']).toEqual({ runs: 2, items: 30, checks: 4 });
    expect(await listed()).toMatch(/\tsmall\tvalid\t2 runs, 30 items\/run, 4 checks\/min\t/);
    const wrong = await baton(['keys', 'create', 'none', '-s', 'runs:read', '--max-items', 'few']);
    expect(wrong.code).not.toBe(0);
    expect(wrong.stderr).toContain("'few' is invalid. Expected a whole number.");
    expect((await baton(['keys', 'revoke', String(made['id'])])).code).toBe(0);
    expect(await listed()).toMatch(/\treader\trevoked\t/);
    expect(await listed('--json')).not.toContain(String(made['key']));
    expect((await baton(['runs', 'ls'], { env })).code).toBe(4);
  });

  test('a schedule lists its times, is paused, and backfills the past once', async () => {
    const text = 'workflow: nightly\non:\n  - schedule: "0 3 * * *"\nsteps:\n  - set: { done: true }\n';
    await write('nightly.workflow.yaml', text);
    expect((await baton(['deploy', 'nightly.workflow.yaml'])).code).toBe(0);
    const [id = ''] = (await baton(['schedules', 'ls', '-w', 'nightly'])).stdout.split('\t');
    expect((await baton(['schedules', 'next', id])).stdout).toMatch(/^(\d{4}-\d\d-\d\dT03:00:00Z\n){5}$/);
    const { next } = jsonIn(await baton(['schedules', 'trigger', id, '--json']));
    expect(next).toHaveLength(5);
    expect((await baton(['schedules', 'pause', id])).code).toBe(0);
    expect((await baton(['schedules', 'ls', '-w', 'nightly'])).stdout).toContain('paused');
    const span = ['schedules', 'backfill', id, '--from', '2020-01-01T00:00:00Z', '--to', '2020-01-01T12:00:00Z'];
    expect((await baton([...span, '--preview'])).stdout).toBe('2020-01-01T03:00:00Z\n');
    expect((await baton(span)).stdout).toBe('2020-01-01T03:00:00Z\n');
    expect(await baton(span)).toMatchObject({ code: 0, stdout: '' });
    expect((await baton(['schedules', 'resume', id])).stderr).toMatch(
      /^Resumed. The next run is at \d{4}-\d\d-\d\dT03:00:00/,
    );
  });
});

describe('many runs, and what they run on', () => {
  test('runs are counted, cancelled and retried by a filter, with the consent of a person or a number', async () => {
    await write('waits.workflow.yaml', 'workflow: waits\nsteps:\n  - { id: bell, wait: { signal: ring } }\n');
    expect((await baton(['deploy', 'waits.workflow.yaml'])).code).toBe(0);
    const start = async (tag: string): Promise<string> => (await baton(['run', 'waits', '--tag', tag])).stdout.trim();
    const [first, second] = [await start('first'), await start('second')];
    const filter = ['--filter', 'workflow=waits'];
    const counted = await baton(['runs', 'cancel', ...filter, '--preview', '--json']);
    expect(jsonIn(counted)).toEqual({ count: 2, writes: 0 });
    expect(counted.stderr).toBe('2 runs can be cancelled.\n');
    const unasked = await baton(['runs', 'cancel', ...filter]);
    expect(unasked.code).toBe(2);
    expect(unasked.stderr).toContain('add --yes, or --expect 2');
    expect((await baton(['runs', 'cancel', ...filter, '--expect', '3'])).code).toBe(5);
    const done = await baton(['runs', 'cancel', ...filter, '--filter', 'tag=first', '--expect', '1']);
    expect(done).toMatchObject({ code: 0, stderr: '1 run can be cancelled.\n1 run is being cancelled.\n' });
    // It counts until it has ended.
    await baton(['runs', 'watch', first]);
    const others = await baton(['runs', 'cancel', ...filter, '--yes', '--reason', 'not today', '--json']);
    expect(jsonIn(others)).toMatchObject({ count: 1, done: 1 });
    await baton(['runs', 'watch', second]);
    const retried = await baton(['runs', 'retry', ...filter, '--filter', 'tag=second', '--yes', '--json']);
    expect(jsonIn(retried)).toMatchObject({ count: 1, writes: 0, done: 1 });
    expect((await baton(['runs', 'cancel', '--filter', 'colour=red'])).stderr).toContain('name=value');
  });

  test('a workflow is paused and resumed: no trigger starts it, a person does', async () => {
    const state = async (): Promise<string | undefined> =>
      (await baton(['workflows', 'ls'])).stdout
        .split('\n')
        .find((line) => line.startsWith('greet\t'))
        ?.split('\t')[2];
    expect(await state()).toBe('active');
    const paused = await baton(['workflows', 'pause', 'greet']);
    expect(paused.stderr).toBe('No trigger starts greet until `baton workflows resume greet`. Its runs continue.\n');
    expect(await state()).toBe('paused');
    expect((await baton(['run', 'greet', '-i', 'name=Ada'])).code).toBe(0);
    expect((await baton(['workflows', 'resume', 'greet'])).code).toBe(0);
    expect(await state()).toBe('active');
    expect((await baton(['workflows', 'pause', 'nothing'])).code).toBe(3);
  });

  test('a workflow is shown with what starts it, its inputs, its versions and its text, and deleted', async () => {
    const versions = [
      'workflow: shown\ntitle: Shown\nsteps:\n  - set: { n: 1 }\n',
      "workflow: shown\ntitle: Shown\non:\n  - { schedule: '0 7 * * *' }\ninputs:\n  city: { type: string }\nsteps:\n  - set: { n: 2 }\n",
    ];
    for (const text of versions) {
      await write('shown.workflow.yaml', text);
      expect((await baton(['deploy', 'shown.workflow.yaml'])).code).toBe(0);
    }
    const { stdout } = await baton(['workflows', 'show', 'shown']);
    expect(stdout).toMatch(/^shown@2 {2}Shown\nadmin .*deployed it at /);
    expect(stdout).toContain('What starts it:\n  the schedule 0 7 * * * (UTC)\n');
    expect(stdout).toMatch(/Inputs:\n {2}city {2}string {2}required\n$/);
    expect((await baton(['workflows', 'show', 'shown@1', '--source'])).stdout).toBe(versions[0]);
    expect((await baton(['workflows', 'show', 'shown@1'])).stdout).toContain('Nothing starts it by itself.');
    expect((await baton(['workflows', 'versions', 'shown'])).stdout).toMatch(/^2\t.*\tadmin .*\n1\t.*\n$/);
    const unasked = await baton(['workflows', 'delete', 'shown']);
    expect(unasked).toMatchObject({ code: 2, stderr: expect.stringContaining('the schedule 0 7 * * *') });
    expect(unasked.stderr).toContain('--yes');
    const terminal = (screen: string, type: (keys: string) => void): void => {
      if (screen.includes('Delete the workflow shown?')) type('n');
    };
    expect((await baton(['workflows', 'delete', 'shown'], { terminal })).stderr).toContain('Nothing was deleted.');
    expect((await baton(['workflows', 'show', 'shown'])).code).toBe(0);
    expect((await baton(['workflows', 'delete', 'shown', '--yes'])).code).toBe(0);
    expect((await baton(['workflows', 'show', 'shown'])).code).toBe(3);
    expect((await baton(['workflows', 'show', 'shown@2'])).code).toBe(0);
  });

  test('a workflow whose name is a path is meant by each command that takes a workflow', async () => {
    const name = 'payments/eu/refunds';
    await mkdir(join(installation.folder, 'payments/eu'), { recursive: true });
    const text = `workflow: ${name}\non: [{ id: daily, schedule: '0 7 * * *' }]\nsteps: [{ set: { n: 1 } }]\n`;
    await write(`${name}.workflow.yaml`, text);
    const outputs = new Map<string, string>();
    for (const args of [
      ['deploy', 'payments'],
      ['run', `${name}@1`, '--record', 'payments/eu/refunds.test.yaml'],
      ['run', name, '--record', 'refunds.test.yaml'],
      ['test', 'payments/eu/refunds.test.yaml', 'refunds.test.yaml'],
      ['workflows', 'show', name],
      ['workflows', 'stats', name],
      ['workflows', 'pause', name],
      ['schedules', 'ls', '-w', 'payments/*'],
      ['schedules', 'next', `${name}.daily`],
      ['schedules', 'pause', `${name}.daily`],
      ['hooks', 'ls', '-w', 'payments/*'],
      ['runs', 'ls', '--workflow', 'payments/*'],
      ['audit', 'calls', '-w', 'payments/*'],
      ['costs', '-w', 'payments/*'],
      ['keys', 'create', 'refunds', '--scope', 'runs:read', '-w', 'payments/*'],
      ['types'],
      ['workflows', 'delete', name, '--yes'],
    ]) {
      const { code, stdout, stderr } = await baton(args);
      expect({ args, code, stderr: code === 0 ? '' : stderr }).toEqual({ args, code: 0, stderr: '' });
      outputs.set(args.slice(0, 2).join(' '), stdout);
    }
    expect(outputs.get('runs ls')).toContain(name);
    expect(outputs.get('runs ls')).not.toContain('greet');
    expect(outputs.get('schedules ls')).toContain(`${name}.daily`);
    expect(outputs.get('types')).toContain(`"${name}": {`);
    const wrong = await baton(['runs', 'ls', '--workflow', 'payments*']);
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('a project as in payments/*') as string });
  });

  test('hooks are listed and shown with their deliveries, and why one was refused', async () => {
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
    const text = `
workflow: org/hooked
on:
  - { webhook: knock, secret: HOOK, if: event.body.a == 1 }
  - { webhook: github, secret: HOOK, scheme: github }
steps: [{ set: { done: true } }]
`;
    await write('hooked.workflow.yaml', text);
    expect((await baton(['deploy', 'hooked.workflow.yaml'])).code).toBe(0);
    const row = async (): Promise<string> => (await baton(['hooks', 'ls', '-w', 'org/hooked'])).stdout;
    expect(await row()).toContain('org/hooked/knock\tstandard\tHOOK\tnone\t\n');
    expect((await baton(['__complete', '--', 'hooks', 'test', 'org/hooked/k'])).stdout).toBe('org/hooked/knock\t\n');
    expect((await baton(['gateway', '--help'])).stdout).toContain('\n  { "mcpServers"');
    const send = (body: string, hook = 'knock') =>
      baton(['hooks', 'test', `org/hooked/${hook}`, '-d', body], { input: `${secret}\n` });
    expect(await send('{}')).toMatchObject({ code: 4, stderr: expect.stringContaining('"HOOK" is not set.') });
    expect(await row()).toMatch(/\trefused \d{4}-.*\tThe secret "HOOK" is not set\.\n/);
    await baton(['secrets', 'set', 'HOOK'], { input: `${secret}\n` });
    const started = await send('{"a":1}');
    expect(started).toMatchObject({ code: 0, stderr: expect.stringContaining('The delivery started a run') });
    expect(await send('{"a":2}')).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('started no run'),
      stdout: '',
    });
    expect((await send('{}', 'github')).code).toBe(0);
    const wrong = await baton(['hooks', 'test', 'org/hooked/knock'], { input: 'another secret of ours\n' });
    expect(wrong).toMatchObject({ code: 4, stderr: expect.stringContaining('is not the signature of this body') });
    expect((await baton(['hooks', 'test', 'org/hooked/knock'], { input: 'short\n' })).code).toBe(2);
    expect((await baton(['hooks', 'test', 'org/hooked/knock'])).stderr).toBe(
      'error: The secret HOOK signs the delivery, and stdin is empty.\nhint: give the secret in the variable HOOK, or on stdin\n',
    );
    // A refusal that is not of the signature is told in its own words, not in those of an earlier one.
    await write('large.json', JSON.stringify('x'.repeat(2_000_000)));
    expect((await send('@large.json')).stderr).toContain('refused with 413. A body may have at most 1048576 bytes.');
    const { stdout } = await baton(['hooks', 'show', 'org/hooked/knock']);
    expect(stdout).toContain('/v1/hooks/org/hooked/knock\nand sign with the secret HOOK (scheme: standard).');
    expect(stdout).toContain(`run ${started.stdout.trim()}`);
    expect(stdout).toContain('  The secret "HOOK" is not set.');
    expect(await baton(['hooks', 'show', 'org/hooked/other'])).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('it has org/hooked/knock, org/hooked/github'),
    });
  });

  test('a worker is listed with what it drives, and drained', async () => {
    const workers = async (): Promise<readonly string[]> => (await baton(['workers', 'ls'])).stdout.split('\t');
    const [id = '', state] = await workers();
    expect(state).toBe('working');
    expect((await baton(['workers', 'drain', id])).stderr).toMatch(/^The worker takes no more runs/);
    expect((await workers())[1]).toBe('draining');
    expect((await baton(['workers', 'drain', 'unknown'])).code).toBe(3);
  });
});
