/**
 * Every setting, as one schema: name, allowed values, default. An app's main.ts reads them once and passes them on as
 * an object.
 */
import { durationMs, limits } from '@baton/language';
import * as z from 'zod';

const url = (what: string, ...protocols: readonly string[]) =>
  z
    .string()
    .refine((text) => protocols.includes(URL.parse(text)?.protocol ?? ''), `a ${what} URL (${protocols.join(', ')})`);

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

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

/** By the name of the environment variable. `secret`: never shown. */
export const Settings = z.object({
  DATABASE_URL: url('Postgres', 'postgres:', 'postgresql:')
    .optional()
    .meta({ description: 'Postgres, the truth. Absent: an embedded one in the data folder.' }),
  REDIS_URL: url('Redis', 'redis:', 'rediss:')
    .optional()
    .meta({ description: 'Redis, for the queue. Absent: the queue is in Postgres.' }),
  BATON_HOST: z.string().min(1).default('127.0.0.1').meta({ description: 'Address on which the API listens.' }),
  BATON_PORT: wholeNumber(0, 65_535).prefault('4400').meta({ description: 'Port of the API; 0: any that is free.' }),
  BATON_DATA: z.string().min(1).default('.baton').meta({ description: 'Data folder.' }),
  BATON_SERVERS: z
    .string()
    .optional()
    .meta({ description: 'MCP server configuration. Absent: mcp.json, then .mcp.json.' }),
  BATON_SERVER_NETWORKS: networks.prefault('').meta({
    description: 'Private networks in which MCP servers may be. Public addresses and this machine always are.',
  }),
  BATON_CALLBACK_NETWORKS: networks
    .prefault('')
    .meta({ description: 'Private networks to which callbacks may go. Public addresses always may.' }),
  BATON_TRUSTED_PROXIES: proxies.prefault('').meta({
    description: 'Proxies in front of the API, as addresses or networks, whose X-Forwarded-For is believed.',
  }),
  BATON_SECRET_KEY: secretKey
    .optional()
    .meta({ secret: true, description: 'Encrypts secrets at rest. Absent: a file in the data folder.' }),
  BATON_SECRET_KEY_BEFORE: secretKey
    .optional()
    .meta({ secret: true, description: 'The secret key before: what it encrypts is moved to the present one.' }),
  BATON_ADMIN_KEY: z
    .string()
    .min(32, 'at least 32 characters')
    .optional()
    .meta({ secret: true, description: 'The first admin key. Absent: one is made, and kept in the data folder.' }),
  BATON_URL: url('server', 'http:', 'https:')
    .optional()
    .meta({ description: 'Where workers and the CLI find the API. Absent: on this machine.' }),
  BATON_API_KEY: z.string().optional().meta({ secret: true, description: 'With which the CLI speaks to the API.' }),
  BATON_CONCURRENCY: wholeNumber(1, 10_000).prefault('50').meta({ description: 'Runs in flight per worker.' }),
  BATON_KEY_RUNS: wholeNumber(1, 1_000_000)
    .prefault(String(limits.key.runs))
    .meta({ description: 'Runs that are not over of one key, schedule or hook. A key may have a limit of its own.' }),
  BATON_KEY_ITEMS: wholeNumber(1, 1_000_000_000)
    .prefault(String(limits.key.items))
    .meta({ description: 'Items of all `forEach` steps of one run, with its child runs. A key may have its own.' }),
  BATON_KEY_CHECKS: wholeNumber(1, 1_000_000)
    .prefault(String(limits.key.checksPerMinute))
    .meta({ description: 'Workflows checked in a minute for one key, on each orchestrator. A key may have its own.' }),
  BATON_KEEP_RUNS: kept(3_600_000, '1h')
    .prefault('forever')
    .meta({ description: 'How long a run is kept after its end, with its journal and its values.' }),
  BATON_KEEP_RECORDS: kept(3_600_000, '1h')
    .prefault('90d')
    .meta({ description: 'How long idempotency keys, ids of webhooks, firings and delivered callbacks are kept.' }),
  BATON_METRICS_PORT: wholeNumber(0, 65_535).optional().meta({
    description:
      'Port on which a worker shows /metrics, /healthz and /readyz; 0: any that is free. Absent: none. The orchestrator shows its own on BATON_PORT.',
  }),
  BATON_METRICS_HOST: z.string().min(1).default('127.0.0.1').meta({
    description: 'Address of BATON_METRICS_PORT. Every client that reaches it sees the names and the state of servers.',
  }),
  BATON_DEVICE_PORT: wholeNumber(0, 65_535)
    .optional()
    .meta({ description: 'Port of the framed device protocol. Absent: no devices.' }),
  BATON_DEVICE_TOKEN: z
    .string()
    .min(16, 'at least 16 characters')
    .optional()
    .meta({ secret: true, description: 'What devices show when they register. Absent: from this machine alone.' }),
  BATON_PUBLIC_URL: url('public', 'http:', 'https:').optional().meta({
    description: 'How others reach the API and the page, for links and redirects; its path is where the page lies.',
  }),
  LOG_LEVEL: z
    .enum(logLevels, { error: `one of ${logLevels.join(', ')}` })
    .default('info')
    .meta({ description: 'The least that is logged.' }),
  OTEL_EXPORTER_OTLP_ENDPOINT: url('collector', 'http:', 'https:')
    .optional()
    .meta({ description: 'Where traces and metrics go. Absent: nowhere.' }),
  SHUTDOWN_GRACE: duration(3_600_000)
    .prefault('30s')
    .meta({ description: 'How long calls under way may take to end when a process is asked to stop.' }),
});

/** Durations are milliseconds, the secret key is bytes. */
export type Settings = Readonly<z.infer<typeof Settings>>;

export type SettingName = keyof typeof Settings.shape;

export const settingNames = Object.keys(Settings.shape) as readonly SettingName[];
