/** Finds credentials that `mcp.json` holds as plain text: their place, and for models also their value. */
import type { JsonObject } from '@baton/primitives';

import { credentialsIn, credentialsInArguments, credentialsInUrl, isShortCredential } from './credentialRule.ts';
import { fillReferences, referencesIn } from './reference.ts';
import type { ServerConfig } from './server.ts';

export const withoutReferences = (text: string): string => fillReferences(text, () => undefined);

interface PlacedText {
  /** From the server, or from `models`. */
  readonly path: readonly string[];
  readonly credentials: readonly string[];
}

/** Their paths within a server's entry. */
export function plainCredentialsIn(config: ServerConfig): readonly (readonly string[])[] {
  return placesOf(config).flatMap(({ path, credentials }) => (credentials.length > 0 ? [path] : []));
}

/** Those of `env` and `headers` that are too short to be removed from what servers say. */
export function shortCredentialsIn(config: ServerConfig): readonly (readonly string[])[] {
  if (config.type === 'builtin') return [];
  const [key, values] = config.type === 'stdio' ? ['env', config.env] : ['headers', config.headers];
  return Object.entries(values).flatMap(([name, value]) => (isShortCredential(name, value) ? [[key, name]] : []));
}

function placesOf(config: ServerConfig): readonly PlacedText[] {
  if (config.type === 'stdio') {
    const args = { path: ['args'], credentials: credentialsInArguments(config.args.map(withoutReferences)) };
    return [args, ...named('env', config.env)];
  }
  if (config.type === 'builtin') return [];
  const url = { path: ['url'], credentials: credentialsInUrl(withoutReferences(config.url)) };
  const auth = Object.entries<string | undefined>(config.policy.auth ?? {}).map(([name, value = '']) => ({
    path: ['baton', 'auth', name],
    credentials: (name === 'clientSecret' || name === 'privateKey') && referencesIn(value).length === 0 ? [value] : [],
  }));
  return [url, ...named('headers', config.headers), ...auth];
}

const named = (key: string, values: Readonly<Record<string, string>>): readonly PlacedText[] =>
  Object.entries(values).map(([name, value]) => ({
    path: [key, name],
    credentials: credentialsIn(name, withoutReferences(value)),
  }));

/** For `models`, whose schema is in libs/models: any text under a name of a credential, at any depth. */
export function credentialsOfModels(models: JsonObject): readonly PlacedText[] {
  const walk = (value: unknown, path: readonly string[]): readonly PlacedText[] => {
    if (typeof value === 'string') {
      const text = withoutReferences(value);
      const credentials = path.at(-1) === 'url' ? credentialsInUrl(text) : credentialsIn(path.at(-1) ?? '', text);
      return credentials.length > 0 ? [{ path, credentials }] : [];
    }
    if (typeof value !== 'object' || value === null) return [];
    return Object.entries(value).flatMap(([key, one]) => walk(one, [...path, key]));
  };
  const { providers = {} } = models;
  return Object.entries(providers as JsonObject).flatMap(([name, provider]) =>
    ['apiKey', 'headers', 'url'].flatMap((key) => walk((provider as JsonObject)[key], ['providers', name, key])),
  );
}
