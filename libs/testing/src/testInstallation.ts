/**
 * For tests: `baton dev` in a folder of its own, and the command line against it. A command that is run to its end runs
 * in the process of the test, which is ten times cheaper; one that is begun is a process, and takes signals.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable, type Writable } from 'node:stream';
import { text as readAll } from 'node:stream/consumers';

import { afterAll, beforeAll } from 'vitest';

import { appFile } from './appFile.ts';
import { freshDatabase } from './freshDatabase.ts';
import { toolsServer } from './servers/scripted.ts';

export interface EndedProcess {
  readonly code: number | NodeJS.Signals;
  readonly stdout: string;
  readonly stderr: string;
}

interface SpawnedProcess {
  /**
   * Resolves with everything of its stderr up to now, once that holds `text`. Rejects where the command ends before.
   */
  told(text: string): Promise<string>;
  signal(signal: NodeJS.Signals): void;
  readonly ended: Promise<EndedProcess>;
}

interface ProcessEnvironment {
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  /** stdin and stderr are a terminal of 80 columns; called with all that is on it whenever that grows. */
  readonly terminal?: (shown: string, type: (keys: string) => void) => void;
}

export interface TestInstallation {
  readonly folder: string;
  /** Starts a command against the stack as a process. */
  begin(args: readonly string[], around?: ProcessEnvironment): SpawnedProcess;
  /** Runs one to its end in this process. */
  baton(args: readonly string[], around?: ProcessEnvironment): Promise<EndedProcess>;
  /** Puts a file into the folder. */
  write(name: string, text: string): Promise<void>;
}

type ProcessEnding = TestInstallation & { end(): Promise<void> };

interface CommandStreams {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
}

export interface TestInstallationOptions {
  /** Runs one command, as `main` does in a process. Resolves to its exit code. */
  readonly commandLine: (args: readonly string[], streams: CommandStreams) => Promise<number>;
  /** Besides `tools`, as in `mcp.json`. */
  readonly servers?: Readonly<Record<string, object>>;
  /** Texts by the names of their files. */
  readonly files?: Readonly<Record<string, string>>;
}

/** Deployed in every one of them, with its file. */
const greet = `
workflow: greet
title: Greets
inputs:
  name: { type: string, enum: [Ada, Grace] }
  times: { type: integer, default: 1 }
steps:
  - id: hello
    title: Say it
    tool: tools/echo
    with: { message: "Hello, \${{ inputs.name }}!" }
  - id: slowly
    tool: tools/slow
    with: { ms: 20, steps: 2 }
outputs:
  greeting: "\${{ steps.hello.text }}"
  times: "\${{ inputs.times }}"
`;

/** What this machine has set for itself is not for the tests. */
const bare = Object.fromEntries(
  Object.entries(process.env).filter(
    ([name]) => !/^(BATON_|DATABASE_URL|REDIS_URL|NO_COLOR|FORCE_COLOR|LOG_LEVEL)/.test(name),
  ),
);

/** The tests' folders are our own, and nothing about them is remembered in the user's configuration. */
const trusted = { ...bare, BATON_TRUST_FOLDER: '1' };

const running = new Set<ChildProcess>();
process.once('exit', () => running.forEach((child) => child.kill('SIGKILL')));

/** One for all tests of the file. */
export function testInstallation(options: TestInstallationOptions): TestInstallation {
  let opened: ProcessEnding | undefined;
  const there = (): ProcessEnding => {
    if (opened === undefined) throw new Error('it is there from the first test on');
    return opened;
  };
  beforeAll(async () => {
    opened = await open(options);
  });
  afterAll(async () => opened?.end());
  return {
    get folder() {
      return there().folder;
    },
    begin: (...command) => there().begin(...command),
    baton: (...command) => there().baton(...command),
    write: (...file) => there().write(...file),
  };
}

async function open({ commandLine, servers, files }: TestInstallationOptions): Promise<ProcessEnding> {
  const [database, folder] = await Promise.all([freshDatabase(), mkdtemp(join(tmpdir(), 'baton-cli-'))]);
  const write = (name: string, text: string): Promise<void> => writeFile(join(folder, name), text);
  const mcpServers = { tools: toolsServer(join(folder, 'ledger')), ...servers };
  const all = { 'mcp.json': JSON.stringify({ mcpServers }), 'greet.workflow.yaml': greet, ...files };
  await Promise.all(Object.entries(all).map(([name, text]) => write(name, text)));
  const start = (args: readonly string[], { env, input }: ProcessEnvironment = {}): SpawnedProcess =>
    spawned(
      spawn(process.execPath, [appFile('cli'), ...args], {
        cwd: folder,
        env: { ...trusted, ...env },
      }),
      input,
    );
  const stack = start(['dev', '--no-watch', '--port', '0', '--data', 'data'], { env: { DATABASE_URL: database.url } });
  const url = /http:\/\/[\d.:]+/.exec(await stack.told('Press Ctrl-C to stop'))?.[0] ?? '';
  const address = { BATON_URL: url, BATON_DATA: join(folder, 'data') };
  const begin: TestInstallation['begin'] = (args, { env, ...around } = {}) =>
    start(args, { ...around, env: { ...address, ...env } });
  // The working folder belongs to the process, and each test file has one of its own.
  process.chdir(folder);
  const baton: TestInstallation['baton'] = async (args, { env, input = '', terminal } = {}) => {
    const [stdout, stderr] = [new PassThrough(), new PassThrough()];
    const texts = Promise.all([readAll(stdout), readAll(stderr)]);
    const stdin = terminal === undefined ? Readable.from([input]) : terminalOn(stderr, terminal);
    const streams = { env: { TERM: 'xterm', ...trusted, ...address, ...env }, stdin, stdout, stderr };
    const code = await commandLine(args, streams).finally(() => [stdout, stderr].forEach((stream) => stream.end()));
    const [out, err] = await texts;
    return { code, stdout: out, stderr: err };
  };
  const { code, stderr } = await baton(['deploy', 'greet.workflow.yaml']);
  if (code !== 0) throw new Error(stderr);
  const end: ProcessEnding['end'] = async () => {
    process.chdir(tmpdir());
    stack.signal('SIGTERM');
    await stack.ended;
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  };
  return { folder, begin, baton, write, end };
}

/** Makes a terminal of 80 columns of `screen`. Returns its keyboard. */
export function terminalOn(screen: PassThrough, look: NonNullable<ProcessEnvironment['terminal']>): Readable {
  const keyboard: PassThrough = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => keyboard });
  Object.assign(screen, { isTTY: true, columns: 80, rows: 24 });
  let shown = '';
  screen.on('data', (chunk: Buffer) => {
    shown += chunk.toString();
    look(shown, (keys) => void keyboard.write(keys));
  });
  return keyboard;
}

/** A process that is killed with the tests at the latest. */
function spawned(child: ChildProcess, input = ''): SpawnedProcess {
  const { stdin, stdout, stderr } = child;
  if (stdin === null || stdout === null || stderr === null) throw new Error('it has no pipes');
  running.add(child);
  let said = '';
  const looks = new Set<() => void>();
  let isOver = false;
  const lookAll = (): void => looks.forEach((look) => look());
  stderr.on('data', (chunk: Buffer) => {
    said += chunk.toString();
    lookAll();
  });
  // A process that does not read its stdin may be gone before it is written.
  stdin.on('error', () => {});
  stdin.end(input);
  const ended = Promise.all([once(child, 'close'), readAll(stdout)]).then(([[code, signal], out]): EndedProcess => {
    isOver = true;
    running.delete(child);
    lookAll();
    return { code: (code as number | null) ?? (signal as NodeJS.Signals), stdout: out, stderr: said };
  });
  const told = (text: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        if (said.includes(text)) resolve(said);
        else if (isOver) reject(new Error(`it ended before it said "${text}":\n${said}`));
        else return;
        looks.delete(look);
      };
      looks.add(look);
      look();
    });
  return { told, ended, signal: (signal) => void child.kill(signal) };
}

export const jsonIn = ({ stdout }: EndedProcess): Record<string, unknown> =>
  JSON.parse(stdout) as Record<string, unknown>;
