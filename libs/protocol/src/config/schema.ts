/**
 * The schema of one server in `mcp.json`, after the spellings of other clients are translated: the keys of MCP clients,
 * and Baton's own under `baton` (docs/servers.md).
 */
import { durationMs, workflowPatternFault } from '@baton/language';
import { defined, isObject } from '@baton/primitives';
import { z } from 'zod';

import { isHostPattern } from './hosts.ts';
import { ToolChanges, WrittenTools, declarationsIn } from './toolsSchema.ts';

/** Durations as in workflows: `250ms`, `30s`, `5m`, `2h`, `7d`. Parsed to milliseconds. */
const Duration = z.string().transform((text, context) => {
  const ms = durationMs(text);
  if (ms !== undefined) return ms;
  context.addIssue('expected a duration such as "250ms", "30s", "5m", "2h" or "7d"');
  return z.NEVER;
});

/** A line end in an argument or a header is an attack or a mistake. */
const Text = z
  .string()
  .max(8_192)
  .refine((text) => !/[\0\r\n]/.test(text), 'expected text without line ends');

/** No shell reads it: `python -c` takes a whole program. */
const ArgumentText = z
  .string()
  .max(65_536)
  .refine((text) => !text.includes('\0'), 'expected text without NUL');

const VariableText = z.string().refine((text) => !text.includes('\0'), 'expected text without NUL');

/** Numbers are taken as their text: other clients allow `"PORT": 3000`. `null` leaves the variable out. */
const Environment = z.record(
  z.string().refine((name) => /^[^=\0]+$/.test(name), 'expected the name of an environment variable'),
  z.union([VariableText, z.number().transform(String), z.null()]),
);

const Headers = z.record(z.string().regex(/^[\w!#$%&'*+.^`|~-]+$/, 'expected the name of a header'), Text);

const Timeout = z.union(
  [
    Duration.transform((totalMs) => ({ totalMs })),
    z
      .strictObject({ idle: Duration.optional(), total: Duration.optional() })
      .transform(({ idle, total }) => defined({ idleMs: idle, totalMs: total })),
  ],
  { error: 'expected a duration such as "60s", or { "idle": "60s", "total": "10m" }' },
);

const WorkflowPattern = z.string().superRefine((text, context) => {
  const fault = workflowPatternFault(text);
  if (fault !== undefined) context.addIssue(fault);
});

const isOrigin = (text: string): boolean => URL.parse(text)?.origin === text.replace(/\/$/, '');

const Scope = Text.optional();

/** OAuth for servers that need it: as a person, or with Baton's own credentials. */
const grants = {
  code: z.strictObject({
    grant: z.literal('code'),
    /** Whose login a call uses: that of the person behind its run. Absent: all calls use the one of the installation. */
    per: z.literal('person').optional(),
    /** Absent: Baton registers itself with the authorization server. */
    clientId: Text.min(1).optional(),
    clientSecret: Text.min(1).optional(),
    clientMetadataUrl: Text.min(1).optional(),
    scope: Scope,
  }),
  'client-credentials': z.strictObject({
    grant: z.literal('client-credentials'),
    /** The authorization server: no other server gets the credentials. */
    issuer: Text.min(1),
    clientId: Text.min(1),
    clientSecret: Text.min(1),
    scope: Scope,
  }),
  'private-key-jwt': z.strictObject({
    grant: z.literal('private-key-jwt'),
    issuer: Text.min(1),
    clientId: Text.min(1),
    /** PEM. */
    privateKey: z.string().min(1).max(16_384),
    algorithm: z.enum(['ES256', 'ES384', 'RS256', 'PS256', 'EdDSA']).default('ES256'),
    scope: Scope,
  }),
};

/** Without a word of its own, a person agrees. */
const grantOf = (auth: Readonly<Record<string, unknown>>): unknown => auth['grant'] ?? 'code';

const Auth = z.preprocess(
  (auth) => (isObject(auth) ? { ...auth, grant: grantOf(auth) } : auth),
  z.discriminatedUnion('grant', [grants.code, grants['client-credentials'], grants['private-key-jwt']]),
);

export type AuthPolicy = Readonly<z.infer<typeof Auth>>;

/** The keys of an `auth`, by its grant. */
export function authKeys(auth: Readonly<Record<string, unknown>>): readonly string[] {
  const grant = grantOf(auth);
  const isKnown = grant === 'code' || grant === 'client-credentials' || grant === 'private-key-jwt';
  return isKnown ? Object.keys(grants[grant].shape) : [];
}

/** Of MCP. The last has neither handshake nor session. */
const revisions = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'] as const;

/** The longest time that a rate counts over. */
const rateMaxMs = 31 * 86_400_000;

/** A token bucket: `calls` in each `per` in the long run, and `burst` of them at once. */
const Rate = z
  .strictObject({
    calls: z.int().min(1).max(1_000_000),
    per: Duration.refine((ms) => ms >= 1_000 && ms <= rateMaxMs, 'expected a duration from "1s" to "31d"'),
    burst: z.int().min(1).max(1_000_000).default(1),
    /** What has a bucket of its own: the server, each of its tools, each person or key. */
    by: z.enum(['server', 'tool', 'person']).default('server'),
  })
  .refine(({ calls, burst }) => burst <= Math.max(1, calls), {
    path: ['burst'],
    error: 'expected no more than "calls": a burst is a part of them',
  })
  .transform(({ calls, per, burst, by }) => ({ everyMs: per / calls, burst, by }));

/** Baton's own keys, as they are written. */
const PolicyKeys = z.strictObject({
  /** Calls in flight on one session. */
  concurrency: z.int().min(1).max(1_024).optional(),
  /** How many calls it takes, from all processes together. */
  rate: Rate.optional(),
  /** Sessions open at once in one worker. */
  sessions: z.int().min(1).max(256).optional(),
  /** Which calls share a session: all, those of one run, none. */
  scope: z.enum(['shared', 'run', 'call']).default('shared'),
  /** For a call whose step has no `timeout`. Progress restarts `idle`, but not `total` or a plain duration. */
  timeout: Timeout.optional(),
  /** How long the server may take to start and to complete the handshake. */
  openTimeout: Duration.optional(),
  /** How long an unused session is kept. */
  idleTimeout: Duration.optional(),
  maxAge: Duration.optional(),
  maxCalls: z.int().min(1).optional(),
  /** `false`: Baton ignores the annotations of its tools. */
  trust: z.boolean().default(true),
  /** Patterns over tool names, and the effect of calling them. */
  effects: z.record(z.string().min(1).max(128), z.enum(['read', 'idempotent', 'write'])).default({}),
  /**
   * The server executes calls with the same key once: `_meta.idempotencyKey` as in SEP-3182, or an argument with the
   * key.
   */
  idempotency: z
    .union([
      z.literal([true, 'meta']).transform(() => 'meta' as const),
      z.strictObject({ argument: Text.min(1).max(128) }),
    ])
    .optional(),
  /** What happens to new runs when a tool is no longer the one that was checked; or what is declared of single tools. */
  tools: WrittenTools.optional(),
  /** The first of these beside the second. */
  toolChanges: ToolChanges.optional(),
  /** Calls through the gateway that a person must agree to first: those that write. Absent: none. */
  approve: z.literal('write').optional(),
  sampling: z.enum(['deny', 'allow', 'ask']).default('deny'),
  elicitation: z.enum(['deny', 'ask']).default('deny'),
  /** Folders that the server is asked to keep to, relative to the configuration file. Absent: none are sent. */
  roots: z.array(Text.min(1)).max(64).optional(),
  /** What it is asked to report from. */
  logLevel: z.enum(['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency']).default('info'),
  /** Absent: a person may still log in, where the server says how. */
  auth: Auth.optional(),
  /** Patterns of the workflows that it exists for, such as `payments/*`. Absent: all. */
  allow: z.array(WorkflowPattern).min(1).max(100).optional(),
  /** What a built-in server may call; every other server has none. */
  hosts: z
    .array(
      z
        .string()
        .refine(isHostPattern, 'expected a host such as "api.example.com", "*.example.com" or "localhost:8080"'),
    )
    .min(1)
    .max(256)
    .optional(),
  /** Origins besides that of `url` that the server may lead to, such as its authorization server on this machine. */
  origins: z.array(Text.refine(isOrigin, 'expected an origin such as "http://127.0.0.1:9000"')).max(64).default([]),
  /** Absent: discovered over Streamable HTTP, the `initialize` handshake elsewhere. A revision: that one or none. */
  protocol: z.enum(['auto', 'legacy', ...revisions]).optional(),
});

type AddIssue = (path: string[], input: unknown, message: string) => void;

/** What two keys say of one thing: neither may silently count more. */
function contradictionsIn({ tools, toolChanges, effects }: z.infer<typeof PolicyKeys>, add: AddIssue): void {
  if (typeof tools === 'string' && toolChanges !== undefined) {
    const message = `expected one policy: "tools" is "${tools}". "toolChanges" stands beside a "tools" that declares single tools`;
    add(['toolChanges'], toolChanges, message);
  }
  for (const [name, { effect }] of Object.entries(typeof tools === 'object' ? tools : {})) {
    const other = Object.hasOwn(effects ?? {}, name) ? effects[name] : undefined;
    if (effect === undefined || other === undefined || effect === other) continue;
    add(['tools', name, 'effect'], effect, `expected one effect: "effects" says "${other}" of this tool`);
  }
}

/** Beside other mistakes too: all of a file are reported at once. */
export const WrittenPolicy = PolicyKeys.superRefine(
  (policy, context) =>
    contradictionsIn(policy, (path, input, message) => context.addIssue({ code: 'custom', path, input, message })),
  { when: ({ value }) => isObject(value) },
);

/** Baton's own keys: how Baton uses a server, not how it reaches it. */
export const ServerPolicy = WrittenPolicy.transform(({ tools, toolChanges, effects, ...policy }) => {
  const byName = typeof tools === 'object' ? tools : {};
  const stated = Object.entries(byName).flatMap(([name, { effect }]) => (effect === undefined ? [] : [[name, effect]]));
  return {
    ...policy,
    /** A name without pattern counts before each pattern. */
    effects: { ...effects, ...(Object.fromEntries(stated) as typeof effects) },
    tools: (typeof tools === 'string' ? tools : toolChanges) ?? ('block' as const),
    declarations: declarationsIn(byName),
  };
});

const common = {
  disabled: z.boolean().default(false),
  baton: ServerPolicy.prefault({}),
};

export const StdioServer = z.object({
  type: z.literal('stdio'),
  command: Text.min(1),
  args: z.array(ArgumentText).max(1_000).default([]),
  env: Environment.default({}),
  cwd: Text.min(1).optional(),
  ...common,
});

export const HttpServer = z.object({
  type: z.enum(['http', 'sse', 'http-plain']),
  url: Text.min(1),
  headers: Headers.default({}),
  ...common,
});

/** The servers within Baton. */
export const builtinNames = ['http', 'kv'] as const;

/** A server within Baton: no process, and no address. */
export const BuiltinServer = z.object({
  type: z.literal('builtin'),
  /** Which of them. Absent: the name of the server. */
  builtin: z.enum(builtinNames),
  ...common,
});

export type ServerPolicy = Readonly<z.infer<typeof ServerPolicy>>;
