/** What files of other MCP hosts hold that Baton has no counterpart for: names of servers, variables, command lines. */
import { inAscii, isObject } from '@baton/primitives';

/** What a workflow can write before the slash of a target. */
export const serverName = /^[A-Za-z0-9][\w.-]{0,62}$/;

/**
 * A name by which workflows can call the server: of a gallery's `microsoft/playwright-mcp` the last part, of `My Server`
 * the words with hyphens. Undefined if no part of it can be a name, or another server has the same alias.
 */
export const aliasOf = (name: string, taken: ReadonlySet<string>): string | undefined =>
  [name.slice(name.lastIndexOf('/') + 1), name].map(plain).find((alias) => serverName.test(alias) && !taken.has(alias));

const plain = (name: string): string =>
  inAscii(name)
    .replace(/[^\w.-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, 63)
    .replace(/-+$/, '');

/** A variable of another host, such as `${workspaceFolder:api}` or `${config:x}`; with its place in the entry. */
export interface ForeignVariable {
  readonly path: readonly (string | number)[];
  readonly variable: string;
}

const known = /^\$\{(?:env|secret|input):[A-Za-z_][\w.-]{0,127}(?::-[^}]{0,1024})?\}$/;

export function foreignVariablesIn(value: unknown, path: readonly (string | number)[] = []): ForeignVariable[] {
  if (typeof value === 'string') {
    const all = value.match(/\$\{[A-Za-z]+:(?!-)[^}]{0,1200}\}/g) ?? [];
    return all.filter((one) => !known.test(one)).map((variable) => ({ path, variable: variable.slice(0, 80) }));
  }
  if (Array.isArray(value)) return value.flatMap((one: unknown, at) => foreignVariablesIn(one, [...path, at]));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, one]) =>
    key === 'baton' ? [] : foreignVariablesIn(one, [...path, key]),
  );
}

/** The program of a `command` that holds a whole command line. One with a path may have spaces. */
export function programIn(command: string, args: readonly string[]): string | undefined {
  return args.length > 0 ? undefined : /^([\w.@-]+)\s+\S/.exec(command)?.[1];
}

/** Whether it is the entry of a server. */
export const isServerEntry = (value: unknown): boolean =>
  isObject(value) && ['command', 'url', 'serverUrl', 'httpUrl'].some((key) => typeof value[key] === 'string');
