/** Puts a recipe into the text of `mcp.json`. Comments, and everything else, stay. */
import { isObject, membersOf } from '@baton/primitives';
import { parse } from 'jsonc-parser';

import { withValue } from '../config/editJsonc.ts';
import type { Recipe } from './recipe.ts';

export interface AppliedRecipe {
  readonly text: string;
  /** Tools that got their declaration. */
  readonly added: readonly string[];
  /** Tools that the file declares already, which stay as they are. */
  readonly kept: readonly string[];
}

/** Names of servers of the file that look like the recipe's. */
export function serversFor({ knownBy }: Pick<Recipe, 'knownBy'>, text: string): readonly string[] {
  return serverEntries(text).flatMap(([, name, entry]) => {
    const { command, args = [], url } = entry as { command?: unknown; args?: unknown; url?: unknown };
    const words = [command, url, ...(Array.isArray(args) ? args : [])].filter((word) => typeof word === 'string');
    return words.some((word) => knownBy.some((known) => word.includes(known))) ? [name] : [];
  });
}

/** Undefined where the file has no such server. */
export function applyRecipe({ tools }: Pick<Recipe, 'tools'>, text: string, server: string): AppliedRecipe | undefined {
  const [key, , entry] = serverEntries(text).find(([, name]) => name === server) ?? [];
  if (key === undefined || entry === undefined) return undefined;
  const baton = isObject(entry['baton']) ? entry['baton'] : {};
  const written = baton['tools'];
  const before: Readonly<Record<string, unknown>> = membersOf(written);
  const added = Object.keys(tools).filter((tool) => !Object.hasOwn(before, tool));
  const kept = Object.keys(tools).filter((tool) => Object.hasOwn(before, tool));
  const edit = (now: string, path: readonly string[], value: unknown): string =>
    withValue(now, [key, server, 'baton', ...path], value);
  // The policy for changed tools had this key before.
  const named = typeof written === 'string' ? edit(edit(text, ['tools'], undefined), ['toolChanges'], written) : text;
  return { text: added.reduce((now, tool) => edit(now, ['tools', tool], tools[tool]), named), added, kept };
}

type ServerEntry = readonly [key: string, name: string, entry: Readonly<Record<string, unknown>>];

function serverEntries(text: string): readonly ServerEntry[] {
  const root: unknown = parse(text);
  return ['mcpServers', 'servers'].flatMap((key) => {
    const servers = isObject(root) && isObject(root[key]) ? root[key] : {};
    return Object.entries(servers).flatMap(([name, entry]): ServerEntry[] =>
      isObject(entry) ? [[key, name, entry]] : [],
    );
  });
}
