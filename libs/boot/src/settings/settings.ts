/**
 * Every setting, as one schema: name, allowed values, default. An app's main.ts reads them once and passes them on as
 * an object.
 */
import { limits } from '@baton/expressions';
import { durationMs } from '@baton/language';
import * as z from 'zod';

import { usualSchema } from './databaseUrl.ts';
import { claimRulesSetting, rolesSetting } from './peopleSettings.ts';
import { databaseUrlSetting, issuerSetting, redisUrlSetting, urlSetting } from './urlSetting.ts';

const wholeNumber = (min: number, max: number) => {
  const form = `a whole number from ${min} to ${max}`;
  return z
    .string()
    .regex(/^\d{1,9}$/, form)
    .transform(Number)
    .refine((value) => value >= min && value <= max, form);
};

const secretKey = z
  .string()
  .transform((text) => Buffer.from(text, 'base64'))
  .refine((key) => key.length === 32, '32 bytes in base64, as `openssl rand -base64 32` prints them');

const durationForm = 'a duration such as 500ms, 30s or 5m';
const duration = (maxMs: number) =>
  z
    .string()
    .transform((text) => durationMs(text) ?? Number.NaN)
    .refine((ms) => ms <= maxMs, durationForm);

/** Infinite: for ever. */
const kept = (minMs: number, minText: string) =>
  z
    .string()
    .transform((text) => (text === 'forever' ? Infinity : (durationMs(text) ?? Number.NaN)))
    .refine((ms) => ms >= minMs, `a duration of ${minText} or more, such as 90d, or forever`);

const network = z.union([z.cidrv4(), z.cidrv6()]);
const listOf = (one: z.ZodType, form: string) =>
  z
    .string()
    .transform((text) => text.split(/[\s,]+/).filter((part) => part !== ''))
    .refine((all) => all.every((part) => one.safeParse(part).success), form);
const networks = listOf(network, 'networks such as 10.1.0.0/16, with commas between');
const proxies = listOf(
  z.union([network, z.ipv4(), z.ipv6()]),
  'addresses or networks such as 10.0.0.7 or 10.1.0.0/16, with commas between',
);

const fencePlaces = listOf(
  z.string().refine((place) => /^rediss?:\/\/./i.test(place) || !/^[a-z][a-z0-9+.-]*:/i.test(place)),
  'paths of files and redis:// addresses, with commas between; Baton keeps no fence in object storage',
);

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

/** By the name of the environment variable. `secret`: never shown. `isUrl`: shown without user, password and parameters. */
export const Settings = z.object({
  DATABASE_URL: databaseUrlSetting().optional().meta({
    isUrl: true,
    description:
      'Postgres, which stores everything. PG* variables complete it. Absent: the included one, in the data folder.',
  }),
  BATON_DIRECT_URL: databaseUrlSetting().optional().meta({
    isUrl: true,
    description:
      'The same Postgres without a pooler, where DATABASE_URL leads to one that pools transactions: for migrations, locks, the journal and listening.',
  }),
  BATON_SCHEMA: z
    .string()
    .regex(/^[a-z_][a-z0-9_]{0,62}$/, 'a name of small letters, digits and _')
    .refine((name) => !/^(?:pg_|information_schema$)/.test(name), 'a schema that is not Postgres’ own')
    .default(usualSchema)
    .meta({ description: 'Schema of everything that Baton stores in the database of DATABASE_URL.' }),
  REDIS_URL: redisUrlSetting()
    .optional()
    .meta({ isUrl: true, description: 'Redis, for the queue. Absent: the queue is in Postgres.' }),
  BATON_HOST: z.string().min(1).default('127.0.0.1').meta({ description: 'Address on which the API listens.' }),
  BATON_PORT: wholeNumber(0, 65_535).prefault('4400').meta({ description: 'Port of the API; 0: any free port.' }),
  BATON_DATA: z.string().min(1).default('.baton').meta({ description: 'Data folder.' }),
  BATON_FENCE: fencePlaces.prefault('').meta({
    secret: true,
    description:
      'Where Baton keeps, besides the data folder, how far the database had got: files or redis:// addresses outside it. After a restore it tells what is missing.',
  }),
  BATON_VALUES: z
    .string()
    .regex(/^(?:file:\/|s3:\/\/[^/@]+(?:[/?]|$))/, 'file:/FOLDER or s3://BUCKET/PREFIX')
    .optional()
    .meta({
      isUrl: true,
      description:
        'Where large values go, a while after they were written: file:/FOLDER, or s3://BUCKET/PREFIX?endpoint=…&region=… with AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY. Absent: they stay in the database.',
    }),
  BATON_VALUES_AFTER: z
    .string()
    .transform((text) => durationMs(text) ?? Number.NaN)
    .refine((ms) => ms >= 0, durationForm)
    .prefault('1h')
    .meta({ description: 'How long a large value stays in the database before it goes to BATON_VALUES.' }),
  BATON_SERVERS: z
    .string()
    .optional()
    .meta({ description: 'MCP server configuration. Absent: mcp.json, then .mcp.json.' }),
  BATON_SERVER_NETWORKS: networks.prefault('').meta({
    description: 'Private networks that may contain MCP servers. Public addresses and this machine are always allowed.',
  }),
  BATON_CALLBACK_NETWORKS: networks
    .prefault('')
    .meta({ description: 'Private networks that may receive callbacks. Public addresses are always allowed.' }),
  BATON_OAUTH_DCR: z.enum(['on', 'off']).default('off').meta({
    description:
      'Whether OAuth clients may register themselves. Off: only clients whose id is the address of a document.',
  }),
  BATON_OAUTH_ISSUER: issuerSetting('an authorization server').optional().meta({
    isUrl: true,
    description:
      'Authorization server whose access tokens (JWT, RFC 9068) and identity assertions Baton takes, exactly as it calls itself. Absent: Baton’s own tokens alone.',
  }),
  BATON_OIDC_ISSUER: issuerSetting('an identity provider').optional().meta({
    isUrl: true,
    description: 'Identity provider at which people log in (OpenID Connect). Absent: they log in with links and keys.',
  }),
  BATON_OIDC_CLIENT_ID: z.string().min(1).optional().meta({ description: 'What the identity provider calls Baton.' }),
  BATON_OIDC_CLIENT_SECRET: z
    .string()
    .min(1)
    .optional()
    .meta({ secret: true, description: 'With which Baton proves to the identity provider that it is Baton.' }),
  BATON_OIDC_GRANTS: claimRulesSetting().prefault('[]').meta({
    description:
      'What claims of the identity provider, and of tokens of BATON_OAUTH_ISSUER, give: a JSON list of conditions in CEL, each with a grant.',
  }),
  BATON_OIDC_CONTACT: z.string().max(200).optional().meta({
    description: 'Whom people ask who are logged in and may do nothing yet: a name, an address, a channel.',
  }),
  BATON_ROLES: rolesSetting()
    .prefault('{}')
    .meta({ description: 'Roles besides those of Baton, as JSON: the name of each, and its scopes.' }),
  BATON_TRUSTED_PROXIES: proxies.prefault('').meta({
    description: 'Proxies in front of the API, as addresses or networks. Baton trusts their X-Forwarded-For.',
  }),
  BATON_SECRET_KEY: secretKey
    .optional()
    .meta({ secret: true, description: 'Encrypts secrets at rest. Absent: a file in the data folder.' }),
  BATON_SECRET_KEY_BEFORE: secretKey.optional().meta({
    secret: true,
    description: 'The previous secret key. Baton encrypts its secrets anew with BATON_SECRET_KEY.',
  }),
  BATON_ADMIN_KEY: z.string().min(32, 'at least 32 characters').optional().meta({
    secret: true,
    description: 'The first admin key. Absent: Baton makes one and stores it in the data folder.',
  }),
  BATON_URL: urlSetting('server', 'http:', 'https:')
    .optional()
    .meta({ isUrl: true, description: 'Address of the API for workers and the CLI. Absent: this machine.' }),
  BATON_API_KEY: z.string().optional().meta({ secret: true, description: 'API key of the CLI.' }),
  BATON_CONCURRENCY: wholeNumber(1, 10_000).prefault('50').meta({ description: 'Runs in flight per worker.' }),
  BATON_KEY_RUNS: wholeNumber(1, 1_000_000)
    .prefault(String(limits.key.runs))
    .meta({ description: 'Unfinished runs of one key, schedule or hook. A key may have its own limit.' }),
  BATON_KEY_ITEMS: wholeNumber(1, 1_000_000_000)
    .prefault(String(limits.key.items))
    .meta({ description: 'Items of all `forEach` steps of one run and its child runs. A key may have its own limit.' }),
  BATON_KEY_CHECKS: wholeNumber(1, 1_000_000).prefault(String(limits.key.checksPerMinute)).meta({
    description: 'Workflow checks per minute of one key, on each orchestrator. A key may have its own limit.',
  }),
  BATON_KEEP_RUNS: kept(3_600_000, '1h')
    .prefault('forever')
    .meta({ description: 'How long Baton keeps a run after its end, with its journal and its values.' }),
  BATON_KEEP_RECORDS: kept(3_600_000, '1h').prefault('90d').meta({
    description: 'How long Baton keeps idempotency keys, ids of webhook deliveries, firings and delivered callbacks.',
  }),
  BATON_METRICS_PORT: wholeNumber(0, 65_535).optional().meta({
    description:
      'Port on which a worker or a server serves /metrics, /healthz and /readyz without a key; 0: any free port. Absent: none. An orchestrator or a server serves its own on BATON_PORT.',
  }),
  BATON_METRICS_HOST: z.string().min(1).default('127.0.0.1').meta({
    description: 'Address of BATON_METRICS_PORT. Every client that reaches it sees the names and the state of servers.',
  }),
  BATON_DEVICE_PORT: wholeNumber(0, 65_535)
    .optional()
    .meta({ description: 'Port of the framed device protocol. Absent: no devices.' }),
  BATON_DEVICE_TOKEN: z.string().min(16, 'at least 16 characters').optional().meta({
    secret: true,
    description: 'The token that devices send when they register. Absent: only devices on this machine can connect.',
  }),
  BATON_PUBLIC_URL: urlSetting('public', 'http:', 'https:').optional().meta({
    isUrl: true,
    description: 'Address at which people and webhooks reach Baton, for links and redirects. It may have a path.',
  }),
  BATON_EVENTS: z.enum(['on', 'off'], { error: 'on or off' }).default('on').meta({
    description:
      'Whether servers are asked for events, and clients may ask for runs as events (MCP Events, SEP-3415, a draft).',
  }),
  LOG_LEVEL: z
    .enum(logLevels, { error: `one of ${logLevels.join(', ')}` })
    .default('info')
    .meta({ description: 'Lowest level of messages that Baton logs.' }),
  OTEL_EXPORTER_OTLP_ENDPOINT: urlSetting('collector', 'http:', 'https:')
    .optional()
    .meta({ isUrl: true, description: 'OpenTelemetry collector for traces (OTLP over HTTP, in JSON). Absent: none.' }),
  SHUTDOWN_GRACE: duration(3_600_000)
    .prefault('30s')
    .meta({ description: 'How long a stopping process waits for its calls in flight.' }),
});

/** Durations are milliseconds, the secret key is bytes. */
export type Settings = Readonly<z.infer<typeof Settings>>;

export type SettingName = keyof typeof Settings.shape;

export const settingNames = Object.keys(Settings.shape) as readonly SettingName[];
