/**
 * What an orchestrator, a worker and a server begin with: settings, a database, servers, traces, and the key for secrets at rest.
 */
import { durationText, unawaited } from '@baton/primitives';
import { credentialsOfModels } from '@baton/protocol';

import { type MarksFile, marksFile } from '../settings/marksFile.ts';
import { SettingsError } from '../settings/readSettings.ts';
import { readSecretKey } from '../settings/secretKey.ts';
import { type ServersFile, readServersFile } from '../settings/serversFile.ts';
import { ServersOnDisk } from '../settings/serversOnDisk.ts';
import { strangeNames } from '../settings/strangeNames.ts';
import { startTracing } from '../telemetry/startTracing.ts';
import type { Tracing } from '../telemetry/tracing.ts';
import { type StartedProcess, startProcess } from './startProcess.ts';
import { onSupervisor, sendToSupervisor } from './supervisor.ts';

export interface Service extends StartedProcess {
  readonly name: ServiceName;
  readonly version: string;
  /** The environment of the process. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Of what needs a session. */
  readonly databaseUrl: string;
  /** The same database, through a pooler of transactions. */
  readonly pooledUrl: string | undefined;
  readonly servers: ServersFile;
  /** The content of the file now. */
  readonly serversOnDisk: ServersOnDisk;
  /**
   * Registers a function that is called when the supervisor made the process adopt the changed file; `servers` is
   * current then.
   */
  readonly onServersChanged: (use: () => void) => void;
  readonly tracing: Tracing | undefined;
  /** 32 bytes. */
  readonly secretKey: Buffer;
  /** Since when the audit of the database has marks. */
  readonly marks: MarksFile;
  /** Called by parts that continue although something broke. */
  readonly onTrouble: (what: string, error: Error, count?: number) => void;
  /** Called when a part that was away answers again. */
  readonly onBack: (what: string, awayMs: number) => void;
}

export type ServiceName = 'orchestrator' | 'worker' | 'server';

/** Rejects with `StartError` and `SettingsError`, whose messages are for operators. */
export async function startService(
  name: ServiceName,
  { version, env }: { readonly version: string; readonly env: Readonly<Record<string, string | undefined>> },
): Promise<Service> {
  const started = startProcess(name, isGivenByVariables(env) ? { ...env, DATABASE_URL: 'postgres://' } : env);
  const { settings, log, lifecycle } = started;
  const read = (): Promise<ServersFile> => readServersFile(settings.BATON_SERVERS, process.cwd());
  const servers = await read();
  // The supervisor has read the same environment and the same file, and says it once for its processes.
  const notes = process.connected ? [] : [...strangeNames(env, servers.variables), ...servers.notes];
  for (const note of notes) log.warn(note);
  const { DATABASE_URL: given, BATON_DIRECT_URL: direct } = settings;
  if (given === undefined) throw new SettingsError([missingDatabase(name)]);
  const [databaseUrl, pooledUrl] = direct === undefined ? [given, undefined] : [direct, given];
  const { models = {} } = servers.config;
  const literals = credentialsOfModels(models).flatMap(({ credentials }) => credentials);
  started.known.learn('configuration of models', literals);
  let isToldElsewhere = false;
  const onChange = (what: string): void => (isToldElsewhere ? undefined : log.warn(what));
  const serversOnDisk = lifecycle.closing('servers file', new ServersOnDisk({ loaded: servers, read, onChange }));
  const onTrouble: Service['onTrouble'] = (what, error, count) => log.warn({ err: error, count }, what);
  const onBack: Service['onBack'] = (what, awayMs) =>
    log.warn({ awayMs: Math.round(awayMs) }, `${what} answers again; it was away for ${durationText(awayMs)}`);
  const onServersChanged: Service['onServersChanged'] = (use) =>
    onSupervisor(({ tellsOf, reload }) => {
      if (tellsOf === 'servers') isToldElsewhere = true;
      if (reload !== 'servers') return;
      const adopted = serversOnDisk
        .adopt()
        .then(use)
        .catch((error: unknown) => {
          // The supervisor has read the file too, and says what is wrong with it.
          if (!(error instanceof SettingsError)) throw error;
        })
        .finally(() => sendToSupervisor({ reloaded: true }));
      unawaited(adopted);
    });
  const endpoint = settings.OTEL_EXPORTER_OTLP_ENDPOINT;
  const tracing = await startTracing({ endpoint, service: `baton-${name}`, version });
  if (tracing !== undefined) lifecycle.closing('traces', tracing);
  const secretKey = await readSecretKey({ given: settings.BATON_SECRET_KEY, dataFolder: settings.BATON_DATA });
  const marks = marksFile({ dataFolder: settings.BATON_DATA, databaseUrl, onTrouble });
  const own = { name, version, env, serversOnDisk, onServersChanged, tracing, secretKey, marks, onTrouble, onBack };
  return { ...started, databaseUrl, pooledUrl, servers, ...own };
}

/** As libpq does: the variables alone name a Postgres. */
const isGivenByVariables = ({ DATABASE_URL: url = '', PGHOST: host = '' }: Service['env']): boolean =>
  url.trim() === '' && host !== '';

const missingDatabase = (name: string): string =>
  `DATABASE_URL is missing: expected the address of the Postgres that the ${name} stores everything in, such as postgres://baton@localhost/baton; \`baton dev\` starts Baton with a Postgres included`;
