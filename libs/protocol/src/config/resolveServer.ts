/** Fills in what a server's configuration refers to. Done in the worker, just before a session is opened. */
import { fillReferences, referencesIn } from './reference.ts';
import type { Reference } from './reference.ts';
import type { AuthPolicy } from './schema.ts';
import type { ServerConfig } from './server.ts';

/** Where references lead. A name that leads nowhere is undefined. */
export interface Lookups {
  env(name: string): string | undefined;
  secret(name: string): string | undefined | Promise<string | undefined>;
  /** `${workspaceFolder}`: where the configuration file lies. */
  readonly workspaceFolder: string;
}

export interface ResolvedServer {
  /** The same configuration, with values in place of references. */
  readonly config: ServerConfig;
  /** Values that must be shown to nobody. */
  readonly secrets: readonly string[];
  /** What was referred to and is not there; the server cannot be opened without it. */
  readonly missing: readonly Reference[];
}

export async function resolveServer(config: ServerConfig, lookups: Lookups): Promise<ResolvedServer> {
  const references = textsOf(config).flatMap(referencesIn);
  if (references.length === 0) return { config, secrets: [], missing: [] };
  const values = new Map<string, string | undefined>();
  for (const reference of references) {
    if (!values.has(reference.source)) values.set(reference.source, await valueOf(reference, lookups));
  }
  const fill = (text: string): string => fillReferences(text, ({ source }) => values.get(source));
  const isSecret = ({ kind }: Reference): boolean => kind !== 'folder';
  return {
    config: filled(config, fill),
    secrets: unique(references.filter(isSecret).flatMap(({ source }) => values.get(source) ?? [])),
    missing: references.filter(({ source, fallback }) => values.get(source) === undefined && fallback === undefined),
  };
}

async function valueOf({ kind, name }: Reference, lookups: Lookups): Promise<string | undefined> {
  if (kind === 'secret') return lookups.secret(name);
  if (kind === 'env') return lookups.env(name);
  return name === 'userHome' ? lookups.env('HOME') : lookups.workspaceFolder;
}

const textsOf = (config: ServerConfig): string[] =>
  config.type === 'stdio'
    ? [config.command, ...config.args, ...Object.values(config.env), config.cwd ?? '']
    : [config.url, ...Object.values(config.headers), ...Object.values(config.policy.auth ?? {})].filter(isText);

const isText = (value: string | undefined): value is string => value !== undefined;

function filled(config: ServerConfig, fill: (text: string) => string): ServerConfig {
  const all = (record: Readonly<Record<string, string | undefined>>): Record<string, string> =>
    Object.fromEntries(Object.entries(record).map(([key, value = '']) => [key, fill(value)]));
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
