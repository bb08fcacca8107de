/** Finds the values that a server needs, and makes its entry in `mcp.json` of them. */
import type { JsonObject } from '@baton/primitives';
import type { RegistryEntry, RegistryInput, RegistryPackage, RegistryRemote } from '@baton/protocol';

import { CommandError } from '../commandError.ts';
import { exitCodes } from '../exitCodes.ts';

/** A value to ask the person for. */
export interface NeededValue {
  /** The label in the question; for a variable its name. */
  readonly name: string;
  readonly description: string | undefined;
  readonly isRequired: boolean;
  readonly isSecret: boolean;
  readonly usual: string | undefined;
  readonly choices: readonly string[] | undefined;
}

export interface ServerPlan {
  /** The default name in `mcp.json`. */
  readonly name: string;
  readonly needed: readonly NeededValue[];
  /** `valueOf`: the person's value, or a reference to a secret; undefined for an omitted value. */
  readonly entry: (valueOf: (name: string) => string | undefined) => JsonObject;
}

/**
 * Its npm package first, since that runs everywhere Baton does; then an address, then other packages. `words`: arguments
 * for the package. Throws `CommandError`.
 */
export function planOf(registered: RegistryEntry, words: readonly string[] = []): ServerPlan {
  const { name, packages, remotes } = registered;
  const local = packages.filter(({ transport }) => transport.type === 'stdio');
  const npm = local.find(({ registryType }) => registryType === 'npm');
  const [remote] = remotes;
  if (npm !== undefined) return packagePlan(name, npm, words);
  if (remote !== undefined && words.length > 0)
    throw new CommandError(
      exitCodes.usage,
      `"${name.slice(0, 80)}" is reached at an address, which takes no arguments.`,
      {
        hint: 'leave them out; a value that it needs is given as --value NAME=VALUE',
      },
    );
  if (remote !== undefined) return remotePlan(name, remote);
  const other = local.find((one) => runnerOf(one) !== undefined);
  if (other !== undefined) return packagePlan(name, other, words);
  throw new CommandError(exitCodes.usage, `"${name.slice(0, 80)}" offers no package or address that Baton can use.`, {
    hint: 'Baton starts npm, PyPI and OCI packages over stdio, and connects to streamable-http and sse addresses',
  });
}

/** `io.github.someone/weather-server`, `@scope/server-files` → `weather`, `files`. */
export function shortNameOf(name: string): string {
  const last = name.split('/').at(-1)?.replace(/@.*$/, '') ?? name;
  const words = last.split(/[-_]/).filter((word) => !/^(mcp|server)$/i.test(word));
  return (
    words
      .join('-')
      .replace(/[^\w.-]/g, '-')
      .slice(0, 63) || 'server'
  );
}

const neededOf = (name: string, { description, isRequired, isSecret, ...input }: RegistryInput): NeededValue => ({
  name,
  description,
  isRequired,
  isSecret,
  usual: input.default,
  choices: input.choices,
});

function packagePlan(name: string, registered: RegistryPackage, words: readonly string[]): ServerPlan {
  const variables = registered.environmentVariables.filter(({ value }) => value === undefined);
  const all = argumentsWith(registered.packageArguments, words);
  const asked = all.filter(({ value }) => value === undefined);
  const runner = runnerOf(registered);
  if (runner === undefined) throw new CommandError(exitCodes.usage, `Baton cannot start "${name.slice(0, 80)}".`);
  return {
    name: shortNameOf(name),
    needed: [
      ...asked.map((one) => neededOf(argumentName(one), one)),
      ...variables.map((one) => neededOf(one.name, one)),
    ],
    entry: (valueOf) => {
      const args = all.flatMap((one) => {
        const value = one.value ?? valueOf(argumentName(one));
        if (value === undefined) return [];
        return one.type === 'named' && one.name !== undefined ? [one.name, value] : [value];
      });
      const env = Object.fromEntries(
        registered.environmentVariables.flatMap(({ name: variable, value }) => {
          const given = value ?? valueOf(variable);
          return given === undefined ? [] : [[variable, given]];
        }),
      );
      const passed = runner.passes(Object.keys(env));
      return {
        command: runner.command,
        args: [...passed, ...runner.args, ...args],
        ...(Object.keys(env).length === 0 ? {} : { env }),
      };
    },
  };
}

type PackageArgument = RegistryPackage['packageArguments'][number];

const argumentName = ({ name, valueHint }: PackageArgument): string => name ?? valueHint ?? 'argument';

/** Words fill the open places of the package first, so that Baton does not ask for these again; others come last. */
function argumentsWith(all: readonly PackageArgument[], words: readonly string[]): readonly PackageArgument[] {
  const left = [...words];
  const filled = all.map((one) => {
    const isPlace = one.type === 'positional' && one.value === undefined && !one.isSecret;
    const word = isPlace ? left.shift() : undefined;
    return word === undefined ? one : { ...one, value: word };
  });
  const more = left.map((value) => ({ type: 'positional' as const, value, isRequired: false, isSecret: false }));
  return [...filled, ...more];
}

interface PackageRunner {
  readonly command: string;
  readonly args: readonly string[];
  /** Arguments that pass variables of these names on to the program. */
  readonly passes: (variables: readonly string[]) => readonly string[];
}

/** Undefined if Baton cannot start such a package. Versions are exact, so that a server does not change by itself. */
function runnerOf({ registryType, identifier, version }: RegistryPackage): PackageRunner | undefined {
  const passes = (): readonly string[] => [];
  switch (registryType) {
    case 'npm':
      return { command: 'npx', args: ['-y', version === undefined ? identifier : `${identifier}@${version}`], passes };
    case 'pypi':
      return { command: 'uvx', args: [version === undefined ? identifier : `${identifier}==${version}`], passes };
    case 'oci':
      return {
        command: 'docker',
        args: [version === undefined || identifier.includes(':') ? identifier : `${identifier}:${version}`],
        passes: (variables) => ['run', '-i', '--rm', ...variables.flatMap((name) => ['-e', name])],
      };
    default:
      return undefined;
  }
}

function remotePlan(name: string, { type, url, headers }: RegistryRemote): ServerPlan {
  const asked = headers.filter(({ value }) => value === undefined || value.includes('{'));
  return {
    name: shortNameOf(name),
    needed: asked.map((one) => neededOf(one.name, one)),
    entry: (valueOf) => {
      const given = headers.flatMap(({ name: header, value }) => {
        if (value !== undefined && !value.includes('{')) return [[header, value]];
        const said = valueOf(header);
        // In `Bearer {token}`, the value replaces the braces.
        return said === undefined ? [] : [[header, value?.replace(/\{[^{}]*\}/, () => said) ?? said]];
      });
      return {
        type: type === 'sse' ? 'sse' : 'http',
        url,
        ...(given.length === 0 ? {} : { headers: Object.fromEntries(given) as JsonObject }),
      };
    },
  };
}
