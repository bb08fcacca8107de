import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { linkSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { runScript, scriptModule, type ScriptProcess } from '@baton/testing';
import { describe, expect, onTestFinished, test } from 'vitest';

import { findOrphans, markVariable, ownerMark, sweepOrphans } from '../orphans/orphans.ts';
import { startTimeOf } from '../orphans/processTable.ts';
import { lockFolder } from './folderLock.ts';

const forever = `setInterval(() => {}, 1000);`;

function script(code: string, options?: Parameters<typeof runScript>[1]): ScriptProcess {
  const started = runScript(code, options);
  onTestFinished(async () => {
    started.child.kill('SIGKILL');
    await started.ended;
  });
  return started;
}

const isGone = async (pid: number): Promise<void> => {
  await expect.poll(() => startTimeOf(pid)).toBeUndefined();
};

describe('a data folder', () => {
  const newFolder = (): string => {
    const folder = join(tmpdir(), `baton-test-${randomUUID()}`);
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    return folder;
  };

  test('belongs to one process at a time, and a second process learns to which', async () => {
    const folder = newFolder();
    const owner = script(`
      import { lockFolder } from '${scriptModule('folderLock')}';
      await lockFolder('${folder}');
      console.log('locked'); ${forever}`);
    await owner.said('locked');
    await expect(lockFolder(folder)).rejects.toMatchObject({
      name: 'FolderInUseError',
      message: expect.stringContaining(`process ${owner.pid}`) as string,
    });
  });

  test('that cannot be made is told with the setting to change, and with no stack', async () => {
    const file = newFolder();
    writeFileSync(file, '');
    for (const path of [file, join(file, 'data'), '/proc/baton/data'])
      await expect(lockFolder(path)).rejects.toMatchObject({
        name: 'StartError',
        message: expect.stringMatching(/cannot be written to \(E(?:EXIST|NOTDIR|NOENT)\)\. Set BATON_DATA/) as string,
      });
  });

  test('is free again once its owner is dead, however it died', async () => {
    const folder = newFolder();
    const owner = script(`
      import { lockFolder } from '${scriptModule('folderLock')}';
      await lockFolder('${folder}');
      console.log('locked'); ${forever}`);
    await owner.said('locked');
    owner.child.kill('SIGKILL');
    await owner.ended;
    const lock = await lockFolder(folder);
    expect(lock.folder).toBe(folder);
    await lock.release();
    await (await lockFolder(folder)).release();
  });

  test('does not keep its process from ending', async () => {
    const owner = script(
      `import { lockFolder } from '${scriptModule('folderLock')}'; await lockFolder('${newFolder()}');`,
    );
    await expect(owner.ended).resolves.toBe(0);
  });

  test('A data folder is the same by every name, also in a container, where it has another', async () => {
    const folder = newFolder();
    const lock = await lockFolder(folder);
    const elsewhere = newFolder();
    mkdirSync(elsewhere);
    linkSync(join(folder, 'lock'), join(elsewhere, 'lock'));
    await expect(lockFolder(elsewhere)).rejects.toThrow('is in use');
    const link = newFolder();
    symlinkSync(folder, link);
    for (const name of [link, `${folder}/.`]) await expect(lockFolder(name)).rejects.toThrow('is in use');
    await lock.release();
    const again = await lockFolder(link);
    expect(again.folder).toBe(folder);
    await again.release();
  });
});

describe('orphans', () => {
  const installation = (): string => join(tmpdir(), `an installation: ${randomUUID()} ü`);

  /** A process that starts another, which ignores SIGTERM, and says its pid. */
  const family = (mark: string): string => `
    import { spawn } from 'node:child_process';
    import { ownerMark } from '${scriptModule('orphans')}';
    const code = "process.on('SIGTERM', () => {}); console.log('up'); ${forever}";
    const child = spawn(process.execPath, ['--eval', code], {
      env: { ...process.env, ${markVariable}: ${mark} }, stdio: ['ignore', 'pipe', 'ignore'], detached: true });
    child.stdout.once('data', () => console.log('child ' + child.pid)); ${forever}`;

  test('are found when their owner was killed, and ended though they resist', async () => {
    const name = installation();
    const owner = script(family(`ownerMark(${JSON.stringify(name)})`));
    const pid = Number(await owner.said('child '));
    expect(findOrphans(name)).toEqual([]);
    owner.child.kill('SIGKILL');
    await owner.ended;
    const orphan = { pid, ownerPid: owner.pid };
    expect(findOrphans(name)).toEqual([orphan]);
    await expect(sweepOrphans(name)).resolves.toEqual([orphan]);
    expect(startTimeOf(pid)).toBeUndefined();
    expect(findOrphans(name)).toEqual([]);
  });

  test('of another installation are not ours', async () => {
    const name = installation();
    const owner = script(family(JSON.stringify(`${name}2:999999999:1`)));
    const pid = Number(await owner.said('child '));
    onTestFinished(() => void process.kill(pid, 'SIGKILL'));
    expect(findOrphans(name)).toEqual([]);
    expect(findOrphans(`${name}2`)).toEqual([{ pid, ownerPid: 999999999 }]);
  });

  test('are known by when their owner began: another process may have its number by now', async () => {
    const name = installation();
    const stale = ownerMark(name).replace(/\d+$/, '1');
    const owner = script(family(JSON.stringify(stale)));
    const pid = Number(await owner.said('child '));
    expect(findOrphans(name)).toEqual([{ pid, ownerPid: process.pid }]);
    await sweepOrphans(name);
    await isGone(pid);
  });
});

describe('a process that is asked to end', () => {
  const lifecycle = (graceMs: number, rest: string): string => `
    import { Lifecycle } from '${scriptModule('lifecycle')}';
    import { createLogger } from '${scriptModule('logger')}';
    const log = createLogger({ level: 'info', name: 'test' });
    const lifecycle = new Lifecycle({ log, graceMs: ${graceMs} });
    const part = (name, stop = async () => {}) => lifecycle.onStop(name, async (ms) => { await stop(ms); console.log('stopped ' + name); });
    ${rest}
    console.log('up'); ${forever}`;

  const stoppedParts = ({ lines }: ScriptProcess): string[] => lines.filter((line) => line.startsWith('stopped '));

  test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
    'by %s stops its parts, last first, and ends well',
    async (signal) => {
      const process = script(lifecycle(5_000, `part('a'); part('b'); part('c');`));
      await process.said('up');
      process.child.kill(signal);
      await expect(process.ended).resolves.toBe(0);
      expect(stoppedParts(process)).toEqual(['stopped c', 'stopped b', 'stopped a']);
    },
  );

  test('A process of two roles stops both at the same time, each last part first, and then what they stand on', async () => {
    const roles = `
      part('base');
      const [one, other] = [lifecycle.branch(), lifecycle.branch()];
      const of = (branch, name, stop = async () => {}) => branch.onStop(name, async (ms) => { await stop(ms); console.log('stopped ' + name); });
      const [oneStops, otherStops] = [Promise.withResolvers(), Promise.withResolvers()];
      of(one, 'first of one'); of(one, 'last of one', () => { oneStops.resolve(); return otherStops.promise; });
      of(other, 'of the other', () => { otherStops.resolve(); return oneStops.promise; });`;
    const process = script(lifecycle(5_000, roles));
    await process.said('up');
    process.child.kill('SIGTERM');
    await expect(process.ended).resolves.toBe(0);
    const stopped = stoppedParts(process);
    expect(stopped.at(-1)).toBe('stopped base');
    expect(stopped.indexOf('stopped last of one')).toBeLessThan(stopped.indexOf('stopped first of one'));
    expect(stopped).toHaveLength(4);
  });

  test('tells those who listen before it stops the first part', async () => {
    const process = script(
      lifecycle(5_000, `lifecycle.stopping.addEventListener('abort', () => console.log('told')); part('a');`),
    );
    await process.said('up');
    process.child.kill('SIGTERM');
    await process.ended;
    expect(process.lines.indexOf('told')).toBeLessThan(process.lines.indexOf('stopped a'));
    expect(process.lines).toContain('told');
  });

  test('twice goes at once', async () => {
    const process = script(
      lifecycle(60_000, `part('a'); part('b', () => { console.log('stuck'); return new Promise(() => {}); });`),
    );
    await process.said('up');
    process.child.kill('SIGINT');
    await process.said('stuck');
    await expect.poll(() => process.child.kill('SIGINT') && process.child.exitCode).not.toBe(null);
    await expect(process.ended).resolves.toBe(130);
    expect(stoppedParts(process)).toEqual([]);
  });

  test('by one Ctrl-C under npm, which passes it on beside the terminal, is asked once', async () => {
    const process = script(
      lifecycle(5_000, `part('a'); setTimeout(() => { process.emit('SIGINT'); process.emit('SIGINT'); }, 1);`),
    );
    await expect(process.ended).resolves.toBe(0);
    expect(stoppedParts(process)).toEqual(['stopped a']);
  });

  test('goes without the parts that are stuck when its time is up', async () => {
    const process = script(lifecycle(1, `part('a', () => new Promise(() => {}));`));
    await process.said('up');
    process.child.kill('SIGTERM');
    await expect(process.ended).resolves.toBe(70);
  });

  test('stops the other parts when one of them fails to', async () => {
    const process = script(
      lifecycle(5_000, `part('a'); part('b', async () => { throw new Error('no'); }); part('c');`),
    );
    await process.said('up');
    process.child.kill('SIGTERM');
    await expect(process.ended).resolves.toBe(70);
    expect(stoppedParts(process)).toEqual(['stopped c', 'stopped a']);
  });

  test('by no signal, but meets an unexpected error, says so and ends', async () => {
    const process = script(lifecycle(5_000, `part('a'); setTimeout(() => Promise.reject(new Error('a bug')), 1);`));
    await expect(process.ended).resolves.toBe(70);
    expect(process.lines.join('\n')).toMatch(/"level":"fatal".*a bug/);
    expect(stoppedParts(process)).toEqual([]);
  });

  test.each([
    ['while it starts', '', 2, /"msg":"Postgres cannot be used: permission denied\./],
    ['later', 'lifecycle.ready({});', 70, /"level":"fatal".*"stack"/],
  ])('by no signal, but meets an error of Postgres %s, tells it accordingly', async (_, ready, exitCode, told) => {
    const refusal = `Object.assign(new Error('permission denied'), { code: '42501' })`;
    const thrown = `new Error('it failed', { cause: ${refusal} })`;
    const process = script(lifecycle(5_000, `${ready} setTimeout(() => Promise.reject(${thrown}), 1);`));
    await expect(process.ended).resolves.toBe(exitCode);
    expect(process.lines.join('\n')).toMatch(told);
  });

  test('because its supervisor is gone, ends as if it had been told', async () => {
    const process = script(lifecycle(5_000, `part('a');`), { ipc: true });
    await process.said('up');
    process.child.disconnect();
    await expect(process.ended).resolves.toBe(0);
    expect(stoppedParts(process)).toEqual(['stopped a']);
  });

  test('because its supervisor is gone, leaves the terminal to the next start', async () => {
    const broken = `part('a', async () => log.warn({ err: new Error('57P01') }, 'a connection broke'));`;
    const told = script(lifecycle(5_000, broken), { ipc: true });
    await told.said('up');
    told.child.kill('SIGTERM');
    await told.ended;
    expect(told.lines.join('\n')).toContain('57P01');
    const orphan = script(lifecycle(5_000, `part('b'); ${broken} part('c', () => Promise.resolve());`), { ipc: true });
    await orphan.said('up');
    orphan.child.disconnect();
    await orphan.ended;
    expect(stoppedParts(orphan)).toContain('stopped a');
    expect(orphan.lines.join('\n')).not.toContain('57P01');
  });

  test('that stops already, and whose supervisor goes meanwhile, goes at once', async () => {
    const process = script(lifecycle(60_000, `lifecycle.onStop('slow', () => new Promise(() => {}));`), { ipc: true });
    await process.said('up');
    process.child.kill('SIGTERM');
    process.child.disconnect();
    await expect(process.ended).resolves.toBe(143);
  });

  /** V8 says which functions it has compiled. The more lines, the longer that takes. */
  const withHotFunction = (lines: number): string => `
    import { setFlagsFromString } from 'node:v8';
    import { endProcess } from '${scriptModule('endProcess')}';
    for (const flag of ['--allow-natives-syntax', '--trace-opt']) setFlagsFromString(flag);
    const large = 's = (s + n * 3) | 0;'.repeat(${lines});
    const sum = new Function('return function hotSum(n) { let s = 0; for (let i = 0; i < n; i++) {' + large + '} return s; }')();`;

  test('compiles nothing more, since it would wait for the threads that do', async () => {
    const loop = `part('hot', async () => { for (let i = 0; i < 10_000; i++) sum(10); });`;
    const process = script(`${withHotFunction(200)} ${lifecycle(5_000, loop)}`);
    await process.said('up');
    process.child.kill('SIGTERM');
    await expect(process.ended).resolves.toBe(0);
    expect(process.lines.join('\n')).not.toMatch(/completed optimizing.*hotSum/);
    expect(process.lines).toContain('stopped hot');
  });

  test('gives the threads that compile the time to finish', async () => {
    const compile = '%PrepareFunctionForOptimization(f); f(1); %OptimizeFunctionOnNextCall(f, "concurrent"); f(1);';
    const process = script(`${withHotFunction(1)} new Function('f', '${compile}')(sum); endProcess(3);`);
    await expect(process.ended).resolves.toBe(3);
    expect(process.lines.join('\n')).toMatch(/completed optimizing.*hotSum/);
  });
});

describe('a service that starts', () => {
  const service = (env: object): string => `
    import { startService } from '${scriptModule('startService')}';
    process.chdir('${tmpdir()}');
    await startService('worker', { version: '1', env: ${JSON.stringify(env)} });
    console.log('up');`;
  const misspelt = { DATABASE_URI: 'postgres://db/x' };

  test('without DATABASE_URL ends as with any setting that cannot be used, and names it', async () => {
    const process = script(service(misspelt));
    await expect(process.ended).resolves.toBe(2);
    const [first = '', last = ''] = process.lines;
    expect(JSON.parse(first)).toMatchObject({
      level: 'warn',
      msg: expect.stringContaining('Did you mean DATABASE_URL?') as string,
    });
    expect(JSON.parse(last)).toMatchObject({
      level: 'fatal',
      msg: 'the settings cannot be used',
      faults: [expect.stringMatching(/^DATABASE_URL is missing: .*postgres:\/\/.*`baton dev`/) as string],
    });
  });

  test('under a supervisor, which says it for all its processes, does not say what is misspelt', async () => {
    const process = script(service(misspelt), { ipc: true });
    const failed = once(process.child, 'message');
    await expect(process.ended).resolves.toBe(2);
    const message = { failed: expect.stringContaining('DATABASE_URL is missing') as string, exitCode: 2 };
    expect(await failed).toEqual([message, undefined]);
    expect(process.lines.join('\n')).not.toContain('DATABASE_URI');
  });
});

describe('a supervisor', () => {
  /** Says its pid, and ends when its channel does. */
  const childFile = (): string => {
    const file = join(tmpdir(), `baton-test-${randomUUID()}.mjs`);
    onTestFinished(() => rm(file));
    const code = `process.on('disconnect', () => process.exit()); process.send({ pid: process.pid }); ${forever}`;
    writeFileSync(file, code);
    return file;
  };

  const supervisor = (more = ''): string => `
    import { SupervisedChild } from '${scriptModule('supervisor')}';
    const file = '${childFile()}';
    let count = 0;
    const child = new SupervisedChild({ file, env: () => process.env, onLine: console.log,
      onMessage: ({ pid }) => console.log('child' + (count += 1) + ' ' + pid), ${more} });
    process.on('SIGTERM', async () => { await child.stop(5000); console.log('stopped'); process.exit(0); });`;

  test('starts a child again that died, and tells how it died', async () => {
    const process = script(
      supervisor(`onRestart: (how, afterMs) => console.log('again after ' + how + ' ' + afterMs)`),
    );
    const first = Number(await process.said('child1 '));
    globalThis.process.kill(first, 'SIGKILL');
    const second = Number(await process.said('child2 '));
    expect(second).not.toBe(first);
    expect(process.lines).toContain('again after SIGKILL 200');
    process.child.kill('SIGTERM');
    await process.said('stopped');
    await isGone(second);
  });

  test('that is killed takes its child with it', async () => {
    const process = script(supervisor());
    const pid = Number(await process.said('child1 '));
    expect(startTimeOf(pid)).toBeDefined();
    process.child.kill('SIGKILL');
    await isGone(pid);
  });

  test('reports the death of a child that is not to be started again', async () => {
    const process = script(supervisor(`mayRestart: (how) => console.log('death by ' + how) !== undefined`));
    globalThis.process.kill(Number(await process.said('child1 ')), 'SIGKILL');
    await expect(process.said('death by ')).resolves.toBe('SIGKILL');
  });
});

describe('the log', () => {
  const lines = async (statement: string): Promise<string[]> => {
    const process = script(`
      import { createLogger } from '${scriptModule('logger')}';
      import { KnownSecrets } from '${scriptModule('knownSecrets')}';
      const known = new KnownSecrets();
      known.learn('test', ['open "sesame"']);
      const log = createLogger({ level: 'info', name: 'test', known });
      ${statement}`);
    await process.ended;
    return [...process.lines];
  };

  test('is one line of JSON for each entry, with level, time and name', async () => {
    const [line = '', ...rest] = await lines(`log.info({ runId: 'r1' }, 'claimed'); log.debug('not told');`);
    expect(rest).toEqual([]);
    expect(JSON.parse(line)).toMatchObject({ level: 'info', name: 'test', runId: 'r1', msg: 'claimed' });
    expect(new Date((JSON.parse(line) as { time: string }).time).getTime()).toBeGreaterThan(0);
  });

  test('holds no character that a terminal or a reader would act upon, and loses none', async () => {
    const hostile = '\u0000\u001b[31m\r\n\u007f\u0085\u009b2J\u2028\u202e\u200b\ufeff\u{e0041}\ud800é😀';
    const [line = ''] = await lines(
      `log.info({ text: ${JSON.stringify(hostile)}, [${JSON.stringify(hostile)}]: 1 }, ${JSON.stringify(hostile)});`,
    );
    // oxlint-disable-next-line no-control-regex -- that there are none is the point
    expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028\u202e\u200b\ufeff]|\udb40/);
    expect(JSON.parse(line)).toMatchObject({ text: hostile, [hostile]: 1, msg: hostile });
  });

  test('shows no secret, by name, by look or by value', async () => {
    const told = await lines(`
      log.info({ headers: { authorization: 'Bearer abcdefghijkl', 'x-api-key': 'k1' }, password: 'p1', a: { b: { token: 't1' } } });
      log.error({ err: new Error('no connection to postgres://u:p1@h/x: open "sesame"') }, 'open "sesame" t1x');`);
    expect(told).toHaveLength(2);
    expect(told.join()).not.toMatch(/abcdefghijkl|"k1"|p1|"t1"|sesame/);
    expect(told.join()).toContain('t1x');
  });

  test('tells of an error what it is, and not the connection that it came over', async () => {
    const [line = ''] = await lines(
      `log.warn({ err: Object.assign(new Error('away'), { code: '57P01', client: { port: 5432 } }) }, 'broke');`,
    );
    const { err } = JSON.parse(line) as { err: Record<string, unknown> };
    expect(err).toMatchObject({ message: 'away', code: '57P01' });
    expect(err).not.toHaveProperty('client');
    // Postgres went away: that is no bug.
    expect(err).not.toHaveProperty('stack');
  });

  test('tells the stack of a bug', async () => {
    const [line = ''] = await lines(`log.error({ err: new Error('broken') }, 'broke');`);
    const { err } = JSON.parse(line) as { err: Record<string, unknown> };
    expect(err['stack']).toContain('broken');
  });

  test('is not filled by one value', async () => {
    const [line = ''] = await lines(`log.info({ text: 'x'.repeat(10_000_000) }, 'large');`);
    expect(line.length).toBeLessThan(10_000);
  });
});
