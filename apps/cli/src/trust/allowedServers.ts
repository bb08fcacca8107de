/**
 * The servers that the user has allowed, by folder. They are remembered in the user's configuration, where a cloned folder
 * writes nothing.
 */
import { randomUUID } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';

import { makeFolder } from '@baton/boot';
import { isObject } from '@baton/primitives';

import type { Environment } from '../client/address.ts';

/** Digests of servers, by the real paths of folders. */
type AllowedServers = Readonly<Record<string, readonly string[]>>;

/** Of the XDG Base Directory Specification, 0.8, which says that a relative path is to be ignored. */
function fileOf({ XDG_CONFIG_HOME, HOME }: Environment): string {
  const isNamed = XDG_CONFIG_HOME !== undefined && isAbsolute(XDG_CONFIG_HOME);
  return join(isNamed ? XDG_CONFIG_HOME : join(HOME ?? homedir(), '.config'), 'baton', 'allowed-servers.json');
}

/** `folder`: a real path. */
export async function allowedIn(env: Environment, folder: string): Promise<ReadonlySet<string>> {
  const all = await readAllowed(fileOf(env));
  return new Set(Object.hasOwn(all, folder) ? all[folder] : []);
}

/** Rejects with the error of the file system. */
export async function allowIn(env: Environment, folder: string, digests: readonly string[]): Promise<void> {
  const path = fileOf(env);
  const all = await readAllowed(path);
  const before = Object.hasOwn(all, folder) ? (all[folder] ?? []) : [];
  const next: AllowedServers = { ...all, [folder]: [...new Set([...before, ...digests])] };
  await makeFolder(dirname(path));
  const fresh = `${path}.${randomUUID()}`;
  try {
    await writeFile(fresh, `${JSON.stringify(next, undefined, 2)}\n`, { mode: 0o600, flag: 'wx' });
    await rename(fresh, path);
  } finally {
    await rm(fresh, { force: true });
  }
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
