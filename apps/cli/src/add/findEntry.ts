/** Finds the server of `baton add`: a file or folder, an address, an npm package, or a name in the registry. */
import { execFile } from 'node:child_process';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { cleanText, isObject } from '@baton/primitives';
import { type RegistryEntry, readRegistryEntry } from '@baton/protocol';

import { CommandError } from '../commandError.ts';
import type { Environment } from '../environment.ts';
import { exitCodes } from '../exitCodes.ts';

const usualRegistry = 'https://registry.modelcontextprotocol.io';
const timeLimitMs = 15_000;
const answerBytesMax = 8 * 1024 * 1024;
/** `@scope/package`, or any package as `npm:package`; with a version or without. */
const npmName = /^(?:npm:(?<plain>(?:@[\w.-]+\/)?\w[\w.-]*)|(?<scoped>@[\w.-]+\/[\w.-]+))(?:@(?<version>[\w.-]+))?$/;

/** Whether the word can only be an npm package; a name without a scope may be a program. */
export const isNpmPackage = (word: string): boolean => npmName.test(word);

/** `registry`: an address, a folder of `server.json` files, or one file. Rejects with `CommandError`. */
export async function findEntry(
  what: string,
  { registry, env }: { readonly registry?: string; readonly env: Environment },
): Promise<RegistryEntry> {
  const file = await fileAt(what);
  if (file !== undefined) return read(file);
  if (/^https?:\/\//.test(what))
    return checked({ name: new URL(what).hostname, remotes: [{ type: 'streamable-http', url: what }] }, what);
  const npm = npmName.exec(what)?.groups;
  if (npm !== undefined) {
    const identifier = npm['plain'] ?? npm['scoped'] ?? what;
    const version = npm['version'] ?? (await newestVersion(identifier));
    return checked({ name: identifier, packages: [{ registryType: 'npm', identifier, version }] }, what);
  }
  const from = registry ?? env['BATON_REGISTRY'] ?? usualRegistry;
  return /^https?:\/\//.test(from) ? inRegistry(from, what) : inFolder(from, what);
}

async function fileAt(path: string): Promise<string | undefined> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isFile() === true) return path;
  if (found?.isDirectory() !== true) return undefined;
  const inside = join(path, 'server.json');
  return (await stat(inside).catch(() => undefined)) === undefined ? undefined : inside;
}

async function read(file: string): Promise<RegistryEntry> {
  const text = await readFile(file, 'utf8');
  return entryOf(text, file);
}

function entryOf(text: string, where: string): RegistryEntry {
  return checked(parsed(text, where), where);
}

function checked(json: unknown, where: string): RegistryEntry {
  const entry = readRegistryEntry(json);
  if (typeof entry !== 'string') return entry;
  throw new CommandError(exitCodes.usage, `${where} is no server.json: ${entry.slice(0, 200)}`, {
    hint: 'the format is that of https://github.com/modelcontextprotocol/registry',
  });
}

function parsed(text: string, where: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new CommandError(exitCodes.usage, `${where} is not JSON.`, { cause });
  }
}

/** Asks the npm of this machine, so that its registry setting is used. */
async function newestVersion(name: string): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)('npm', ['view', '--json', name, 'version']);
    return String(JSON.parse(stdout));
  } catch (cause) {
    if (/\bE404\b/.test(String(cause)))
      throw new CommandError(exitCodes.notFound, `npm knows no package ${name}.`, {
        cause,
        hint: 'check its name with `npm view`, or give a server.json',
      });
    throw new CommandError(exitCodes.unreachable, `npm did not say which version of ${name} is the newest.`, {
      cause,
      hint: 'run `npm view` to see why; or name the version, as in npm:PACKAGE@1.2.3',
    });
  }
}

async function inFolder(folder: string, name: string): Promise<RegistryEntry> {
  for (const path of [folder, join(folder, `${name}.json`), join(folder, name), join(folder, name, 'server.json')]) {
    const file = await fileAt(path);
    const entry = file === undefined ? undefined : await read(file);
    if (entry !== undefined && isCalled(entry, name)) return entry;
  }
  throw notFound(name, folder, []);
}

/** Keeps the rows of this name before parsing: other rows of the search may be invalid. */
const isNamed = (row: unknown, wanted: string): boolean => nameIn(row).some((name) => isCalled({ name }, wanted));

function nameIn(row: unknown): string[] {
  const inner = isObject(row) && isObject(row['server']) ? row['server'] : row;
  const name = isObject(inner) ? inner['name'] : undefined;
  return typeof name === 'string' ? [cleanText(name, 200)] : [];
}

const isCalled = ({ name }: Pick<RegistryEntry, 'name'>, wanted: string): boolean =>
  name === wanted || name.split('/').at(-1) === wanted;

async function inRegistry(registry: string, name: string): Promise<RegistryEntry> {
  const url = new URL('v0.1/servers', registry.endsWith('/') ? registry : `${registry}/`);
  url.searchParams.set('search', name.split('/').at(-1) ?? name);
  url.searchParams.set('version', 'latest');
  const text = await get(url);
  const list = parsed(text, url.href);
  const servers: unknown = isObject(list) ? list['servers'] : undefined;
  if (!Array.isArray(servers))
    throw new CommandError(exitCodes.unreachable, `The registry at ${url.host} answered with no list of servers.`, {
      hint: 'its address is that before /v0.1/servers; or give a file with --registry',
    });
  const entries = servers.flatMap((one: unknown) => (isNamed(one, name) ? [checked(one, url.href)] : []));
  const matches = entries.filter((entry) => isCalled(entry, name));
  const [entry, ...others] = matches;
  if (entry === undefined) throw notFound(name, url.host, servers.flatMap(nameIn));
  if (others.length > 0 && entry.name !== name)
    throw new CommandError(exitCodes.usage, `${matches.length} servers are called "${name.slice(0, 80)}".`, {
      hint: `name one of them whole: ${matches
        .slice(0, 5)
        .map((one) => one.name)
        .join(', ')}`,
    });
  return matches.find((one) => one.name === name) ?? entry;
}

function notFound(name: string, where: string, others: readonly string[]): CommandError {
  const near = others.slice(0, 5);
  return new CommandError(exitCodes.notFound, `${where} has no server "${name.slice(0, 80)}".`, {
    hint:
      near.length > 0
        ? `it has ${near.join(', ')}`
        : 'an npm package is added as `baton add npm:NAME`, a program as `baton add NAME -- COMMAND`',
  });
}

async function get(url: URL): Promise<string> {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(timeLimitMs) });
    const text = await textOf(answer, url);
    if (answer.ok) return text;
    throw new CommandError(exitCodes.unreachable, `The registry at ${url.host} answered with ${answer.status}.`);
  } catch (cause) {
    if (cause instanceof CommandError) throw cause;
    throw new CommandError(exitCodes.unreachable, `The registry at ${url.host} cannot be reached.`, {
      cause,
      hint: 'give the address of another one, or a file, with --registry; an npm package is added as npm:NAME',
    });
  }
}

async function textOf({ body }: Response, url: URL): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of body ?? []) {
    bytes += part.length;
    if (bytes > answerBytesMax)
      throw new CommandError(
        exitCodes.unreachable,
        `The registry at ${url.host} answered with more than ${answerBytesMax} bytes.`,
      );
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}
