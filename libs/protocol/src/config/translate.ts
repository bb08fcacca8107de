/** Translates the spellings of other MCP clients into Baton's. */

type ServerEntry = Readonly<Record<string, unknown>>;

const types: Readonly<Record<string, string>> = {
  stdio: 'stdio',
  local: 'stdio',
  http: 'http',
  'streamable-http': 'http',
  streamableHttp: 'http',
  streamable_http: 'http',
  remote: 'http',
  sse: 'sse',
  'http-plain': 'http-plain',
  builtin: 'builtin',
};

export const typeNames = [
  'stdio',
  'http',
  'streamable-http',
  'streamableHttp',
  'sse',
  'http-plain',
  'builtin',
] as const;

/** The keys that Baton understands, in every spelling. */
export const knownKeys: ReadonlySet<string> = new Set(
  'type transport command args env cwd url serverUrl httpUrl headers builtin disabled enabled isActive baton'.split(
    ' ',
  ),
);

export interface TranslatedEntry {
  /** Which schema applies; undefined where it cannot be determined. */
  readonly kind: 'stdio' | 'remote' | 'builtin' | undefined;
  readonly entry: ServerEntry;
}

/** `null` is absent: some hosts write the keys that they do not set. */
export function translate(written: ServerEntry): TranslatedEntry {
  const set = Object.fromEntries(Object.entries(written).filter(([, value]) => value !== null));
  const { transport, serverUrl, httpUrl, isActive, enabled = isActive, ...rest } = set;
  const named = rest['type'] ?? transport;
  const url = rest['url'] ?? httpUrl ?? serverUrl;
  const type = typeof named === 'string' ? (types[named] ?? named) : named;
  const byUrl = url === undefined ? undefined : 'http';
  const transportType = type ?? (rest['command'] === undefined ? byUrl : 'stdio');
  const remote = transportType === undefined ? undefined : 'remote';
  return {
    kind: transportType === 'stdio' || transportType === 'builtin' ? transportType : remote,
    entry: {
      ...rest,
      type: transportType,
      ...(url === undefined ? {} : { url }),
      ...(typeof enabled === 'boolean' && rest['disabled'] === undefined ? { disabled: !enabled } : {}),
    },
  };
}
