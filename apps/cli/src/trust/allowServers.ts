/**
 * The one place where a command asks before it uses the servers of a folder's `mcp.json`: a folder that was cloned names
 * programs of its author.
 */
import { readFile, realpath } from 'node:fs/promises';
import { join } from 'node:path';

import { type ServersFile, replaceFile } from '@baton/boot';
import { isObject } from '@baton/primitives';

import { configFolder } from '../client/configFolder.ts';
import { CommandError } from '../commandError.ts';
import type { Context } from '../context.ts';
import type { Environment } from '../environment.ts';
import { exitCodes } from '../exitCodes.ts';
import { confirmed } from '../inputs/confirmed.ts';
import { whyOf } from '../output/fileFault.ts';
import { shellWord } from '../shellWord.ts';
import { actOfServer, type ServerAct } from './actOfServer.ts';

/**
 * Asks once for each server of a folder, and again when it is another program; remembers a yes. A file that the user
 * names in `BATON_SERVERS` is the user's own. `neverAsks`: also where a person could be asked. Rejects with `CommandError`
 * if the answer is no, or no person can be asked.
 */
export async function allowServers(
  context: Context,
  file: ServersFile,
  { neverAsks = false }: { readonly neverAsks?: boolean } = {},
): Promise<void> {
  const { env, stderr } = context;
  if (isAllowedByUser(env)) return;
  const acts = actsOf(file);
  if (acts.length === 0) return;
  const folder = await realpath(file.root);
  const allowed = await allowedIn(env, folder);
  const asked = acts.filter(({ digest }) => !allowed.has(digest));
  if (asked.length === 0) return;
  const refusal = refusalOf(folder, asked);
  const hint = '`baton dev` asks in a terminal; BATON_TRUST_FOLDER=1 allows every server of the folder';
  if (neverAsks) throw new CommandError(exitCodes.usage, refusal, { hint });
  if (context.isInteractive) {
    stderr.line(`${shellWord(folder)} names servers that you have not allowed:`);
    for (const { line } of asked) stderr.line(`  ${line}`);
  }
  await confirmed(context, {
    question: asked.length === 1 ? 'Allow this server?' : `Allow these ${asked.length} servers?`,
    refusal,
    hint,
    declined: 'Nothing was started.',
  });
  await remember(context, folder, asked);
}

/** What the user has just written needs no question. `only`: the name of one server. */
export async function rememberServers(context: Context, file: ServersFile, only?: string): Promise<void> {
  if (isAllowedByUser(context.env)) return;
  const acts = actsOf(file, only);
  if (acts.length > 0) await remember(context, await realpath(file.root), acts);
}

function isAllowedByUser(env: Context['env']): boolean {
  const trusted = env['BATON_TRUST_FOLDER'] ?? '';
  return ['1', 'true'].includes(trusted) || (env['BATON_SERVERS'] ?? '').trim() !== '';
}

const actsOf = ({ config }: ServersFile, only?: string): readonly ServerAct[] =>
  [...config.servers].flatMap(([name, server]) =>
    only === undefined || name === only ? (actOfServer(name, server) ?? []) : [],
  );

/** It does not fail a command that its folder is not remembered: the next one asks again. */
async function remember({ env, stderr }: Context, folder: string, acts: readonly ServerAct[]): Promise<void> {
  try {
    const digests = acts.map(({ digest }) => digest);
    await allowIn(env, folder, digests);
  } catch (error) {
    stderr.line(`${stderr.paint.yellow('!')} It is not remembered that these servers are allowed: ${whyOf(error)}.`);
  }
}

const shownMax = 5;
const lineMax = 160;

function refusalOf(folder: string, acts: readonly ServerAct[]): string {
  const shown = acts
    .slice(0, shownMax)
    .map(({ line }) => (line.length > lineMax ? `${line.slice(0, lineMax)}…` : line));
  const more = acts.length > shownMax ? `; and ${acts.length - shownMax} more` : '';
  return `${shellWord(folder)} names servers that you have not allowed: ${shown.join('; ')}${more}.`;
}

/** Digests of servers, by the real paths of folders. */
type AllowedServers = Readonly<Record<string, readonly string[]>>;

const fileOf = (env: Environment): string => join(configFolder(env), 'allowed-servers.json');

/** `folder`: a real path. */
async function allowedIn(env: Environment, folder: string): Promise<ReadonlySet<string>> {
  const all = await readAllowed(fileOf(env));
  return new Set(Object.hasOwn(all, folder) ? all[folder] : []);
}

/** Rejects with the error of the file system. */
async function allowIn(env: Environment, folder: string, digests: readonly string[]): Promise<void> {
  const path = fileOf(env);
  const all = await readAllowed(path);
  const before = Object.hasOwn(all, folder) ? (all[folder] ?? []) : [];
  const next: AllowedServers = { ...all, [folder]: [...new Set([...before, ...digests])] };
  await replaceFile(path, `${JSON.stringify(next, undefined, 2)}\n`);
}

/** Empty where the file is missing or damaged: a person is then asked again. */
async function readAllowed(path: string): Promise<AllowedServers> {
  const text = await readFile(path, 'utf8').catch(() => '{}');
  try {
    const all: unknown = JSON.parse(text);
    const entries = isObject(all) ? Object.entries(all) : [];
    return Object.fromEntries(entries.filter((entry): entry is [string, string[]] => isTexts(entry[1])));
  } catch {
    return {};
  }
}

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string');
