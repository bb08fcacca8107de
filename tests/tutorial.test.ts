/** Runs docs/tutorial.md block by block, as a reader would: the files are written, the commands are run. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { appFile } from '@baton/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { Installation } from './installation.ts';
import { pause } from './pause.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const page = await readFile(join(root, 'docs', 'tutorial.md'), 'utf8');

/** A file that the reader writes, or a command with the lines that the page shows below it. */
type TutorialStep =
  | { readonly kind: 'file'; readonly name: string; readonly text: string }
  | { readonly kind: 'command'; readonly line: string; readonly shown: readonly string[] }
  /** The reader kills the process whose id the command prints, and Baton starts it again. */
  | { readonly kind: 'crash'; readonly line: string };

function stepsOf(markdown: string): TutorialStep[] {
  return [...markdown.matchAll(/^```(\w+)(?: file=(\S+))?\n([^]*?)^```$/gm)].flatMap(([, kind, name, text = '']) => {
    if (name !== undefined) return [{ kind: 'file' as const, name, text }];
    const [, killed] = /^kill -9 \$\((.*)\)$/m.exec(text) ?? [];
    if (kind === 'sh' && killed !== undefined) return [{ kind: 'crash' as const, line: killed }];
    return kind === 'console' ? commandsOf(text) : [];
  });
}

function commandsOf(text: string): TutorialStep[] {
  const parts = text.split(/^\$ /m).slice(1);
  return parts.map((part) => {
    const [line = '', ...shown] = part.trimEnd().split('\n');
    return { kind: 'command', line, shown };
  });
}

/** On a terminal columns are aligned with spaces, in a pipe they are separated by tabs. */
const withSingleSpaces = (text: string): string => text.replaceAll(/[ \t]+/g, ' ');

/** `…` stands for any text: within a line, or for any number of lines where it stands alone. */
function pattern(shown: readonly string[]): RegExp {
  const lines = shown.map(withSingleSpaces).map((line) =>
    line === '…'
      ? '[^]*'
      : line
          .split('…')
          .map((part) => RegExp.escape(part))
          .join('.*'),
  );
  return new RegExp(lines.join('\\n?'));
}

let installation: Installation;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'baton-tutorial-'));
  // Started when its tools are asked for first, which is after `init` has written it.
  const args = [join(folder, 'servers', 'notes.mjs'), join(folder, 'notes')];
  const template = await readFile(join(root, 'apps/cli/templates/every/mcp.json'), 'utf8');
  const { mcpServers } = JSON.parse(template) as { mcpServers: { notes: { baton: object } } };
  const notes = { command: 'node', args, baton: mcpServers.notes.baton };
  installation = await Installation.start({ servers: { notes }, workers: 1 });
});

afterAll(async () => {
  await installation.stop();
  await rm(folder, { recursive: true, force: true });
});

async function terminal(line: string): Promise<string> {
  const [npx, baton, ...args] = line.split(/\s+/).map((word) => word.replaceAll("'", ''));
  if (npx !== 'npx' || baton !== 'baton') throw new Error(`the tutorial runs baton only, and not: ${line}`);
  const installed = { BATON_URL: installation.url, BATON_DATA: installation.folder, BATON_TRUST_FOLDER: '1' };
  const env = { ...process.env, ...installed, NO_COLOR: '1' };
  return new Promise((resolve) => {
    execFile(process.execPath, [appFile('cli'), ...args], { cwd: folder, env }, (_error, stdout, stderr) =>
      resolve(withSingleSpaces(stdout + stderr)),
    );
  });
}

test('the page has files and commands', () => {
  const kinds = stepsOf(page).map(({ kind }) => kind);
  expect(kinds.filter((kind) => kind === 'file').length).toBeGreaterThanOrEqual(3);
  expect(kinds.filter((kind) => kind === 'command').length).toBeGreaterThanOrEqual(8);
});

const journalLines = async (): Promise<number> =>
  (await readFile(join(folder, 'notes', 'welcome.md'), 'utf8')).split('\n').filter((line) => line.startsWith('Run '))
    .length;

/** In the middle of the write: the line is in the note, and the server has not answered. */
async function crash(line: string): Promise<void> {
  while ((await journalLines()) === 0) await pause(50);
  const worker = installation.workers.pop();
  expect(Number.parseInt(await terminal(line), 10)).toBe(worker?.child.pid);
  await worker?.kill('SIGKILL');
  await installation.startWorker();
}

/** What the page promises and the terminal does not show; undefined where both agree. */
async function differenceIn(step: TutorialStep): Promise<string | undefined> {
  if (step.kind === 'file') {
    await writeFile(join(folder, step.name), step.text);
    return undefined;
  }
  if (step.kind === 'crash') {
    await crash(step.line);
    return undefined;
  }
  const printed = await terminal(step.line);
  return pattern(step.shown).test(printed) ? undefined : `$ ${step.line}\n${printed}`;
}

test('every block does what the page says', async () => {
  const differences: string[] = [];
  for (const step of stepsOf(page)) differences.push((await differenceIn(step)) ?? '');
  expect(differences.filter((one) => one !== '')).toEqual([]);
  expect(await journalLines()).toBe(1);
});
