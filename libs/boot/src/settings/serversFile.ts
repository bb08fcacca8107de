/** Finds and reads the server configuration. */
import { readFile } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';

import { type Finding, formatFinding } from '@baton/language';
import { type ServerConfig, type ServersConfig, readServers, referencesIn } from '@baton/protocol';

import { SettingsError } from './readSettings.ts';

export interface ServersFile {
  /** Undefined: there is none, and no server is configured. */
  readonly path: string | undefined;
  /** Relative paths in the configuration begin here. */
  readonly root: string;
  /** `ServersOnDisk.adopt` replaces its servers. */
  readonly config: ServersConfig & { readonly servers: Map<string, ServerConfig> };
  /** Warnings, as text. */
  readonly notes: readonly string[];
  /** Variables of the environment that it refers to. */
  readonly variables: ReadonlySet<string>;
}

/** The first of them that a folder has names its servers. */
export const usualServersFiles = ['mcp.json', '.mcp.json'] as const;

/** `path`: as the operator wrote it; absent: the usual names in `folder`. Throws `SettingsError`. */
export async function readServersFile(path: string | undefined, folder: string): Promise<ServersFile> {
  const candidates = (path === undefined ? usualServersFiles : [path]).map((name) => resolve(folder, name));
  for (const candidate of candidates) {
    const text = await readFile(candidate, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT' && path === undefined) return undefined;
      throw new SettingsError([`BATON_SERVERS: ${candidate} cannot be read (${error.code ?? error.message})`]);
    });
    if (text === undefined) continue;
    const { config, findings } = readServers(text);
    const shown = (severity: Finding['severity']): string[] =>
      findings.filter((one) => one.severity === severity).map((finding) => formatFinding(finding, candidate));
    const errors = shown('error');
    if (errors.length > 0) throw new SettingsError(errors);
    const variables = referencesIn(text).flatMap(({ kind, name }) => (kind === 'env' ? [name] : []));
    return {
      path: candidate,
      root: rootOf(candidate),
      config: live(config),
      notes: shown('warning'),
      variables: new Set(variables),
    };
  }
  return { path: undefined, root: folder, config: { servers: new Map() }, notes: [], variables: new Set() };
}

/** Editors start servers in the folder of the project, and keep their file in one of their own. */
function rootOf(path: string): string {
  const folder = dirname(path);
  return ['.cursor', '.vscode'].includes(basename(folder)) ? dirname(folder) : folder;
}

const live = (config: ServersConfig): ServersFile['config'] => ({ ...config, servers: new Map(config.servers) });
