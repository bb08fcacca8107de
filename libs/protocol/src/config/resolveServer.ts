/**
 * Replaces the references in a server's configuration by their values. The worker does this just before it opens a
 * session.
 */
import { credentialsIn, credentialsInArguments, credentialsInUrl } from './credentialRule.ts';
import { withoutReferences } from './plainCredentials.ts';
import { fillReferences, referencesIn, type Reference } from './reference.ts';
import type { AuthPolicy } from './schema.ts';
import type { ServerConfig } from './server.ts';

/** Looks up the values of references; undefined if there is none. */
export interface Lookups {
  env(name: string): string | undefined;
  /** `server`: which is given it; of a model, `models/PROVIDER`. */
  secret(name: string, server: string): string | undefined | Promise<string | undefined>;
  /** `${workspaceFolder}`: where the configuration file lies. */
  readonly workspaceFolder: string;
}

export interface ResolvedServer {
  /** The same configuration, with values in place of references. */
  readonly config: ServerConfig;
  /** Values that must never be shown: resolved references, and credentials in plain text. */
  readonly secrets: readonly string[];
  /** References without a value; the server cannot be opened without them. */
  readonly missing: readonly Reference[];
}

export async function resolveServer(config: ServerConfig, lookups: Lookups): Promise<ResolvedServer> {
  const references = textsOf(config).flatMap(referencesIn);
  if (references.length === 0) return { config, secrets: unique(credentialsOf(config)), missing: [] };
  const values = new Map<string, string | undefined>();
  for (const reference of references) {
    if (!values.has(reference.source)) values.set(reference.source, await valueOf(reference, config.name, lookups));
  }
  const fill = (text: string): string => fillReferences(text, ({ source }) => values.get(source));
  const resolved = filled(config, fill);
  const referred = references.flatMap((reference) => secretIn(reference, values.get(reference.source)));
  return {
    config: resolved,
    secrets: unique([...referred, ...credentialsOf(resolved)]),
    missing: references.filter(({ source, fallback }) => values.get(source) === undefined && fallback === undefined),
  };
}

/** A variable of the environment may as well hold a path, or the name of a region. */
function secretIn({ kind, name }: Reference, value: string | undefined): readonly string[] {
  if (value === undefined || kind === 'folder') return [];
  return kind === 'secret' ? [value] : credentialsIn(name, value);
}

/** Credentials in plain text (docs/secrets.md), and the values of references. */
export function credentialsOf(config: ServerConfig): readonly string[] {
  const named = (values: Readonly<Record<string, string>>): readonly string[] =>
    Object.entries(values).flatMap(([name, value]) => credentialsIn(name, withoutReferences(value)));
  if (config.type === 'stdio') {
    return [...credentialsInArguments(config.args.map(withoutReferences)), ...named(config.env)];
  }
  if (config.type === 'builtin') return [];
  const { auth } = config.policy;
  const own = auth === undefined || auth.grant === 'code' ? auth?.clientSecret : ownSecret(auth);
  const secret = own === undefined || referencesIn(own).length > 0 ? [] : [own];
  return [...credentialsInUrl(withoutReferences(config.url)), ...named(config.headers), ...secret];
}

const ownSecret = (auth: Exclude<AuthPolicy, { grant: 'code' }>): string =>
  auth.grant === 'private-key-jwt' ? auth.privateKey : auth.clientSecret;

async function valueOf({ kind, name }: Reference, server: string, lookups: Lookups): Promise<string | undefined> {
  if (kind === 'secret') return lookups.secret(name, server);
  if (kind === 'env') return lookups.env(name);
  return name === 'userHome' ? lookups.env('HOME') : lookups.workspaceFolder;
}

function textsOf(config: ServerConfig): string[] {
  if (config.type === 'builtin') return [];
  return config.type === 'stdio'
    ? [config.command, ...config.args, ...Object.values(config.env), config.cwd ?? '']
    : [config.url, ...Object.values(config.headers), ...Object.values(config.policy.auth ?? {})].filter(isText);
}

const isText = (value: string | undefined): value is string => value !== undefined;

function filled(config: ServerConfig, fill: (text: string) => string): ServerConfig {
  const all = (record: Readonly<Record<string, string | undefined>>): Record<string, string> =>
    Object.fromEntries(Object.entries(record).map(([key, value = '']) => [key, fill(value)]));
  if (config.type === 'builtin') return config;
  if (config.type !== 'stdio') {
    const { auth } = config.policy;
    const policy = auth === undefined ? config.policy : { ...config.policy, auth: all(auth) as unknown as AuthPolicy };
    return { ...config, url: fill(config.url), headers: all(config.headers), policy };
  }
  return {
    ...config,
    command: fill(config.command),
    args: config.args.map(fill),
    env: all(config.env),
    ...(config.cwd === undefined ? {} : { cwd: fill(config.cwd) }),
  };
}

const unique = (values: readonly string[]): string[] => [...new Set(values)];
