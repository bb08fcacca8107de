/** Checks everything that runs need, each part after those that it depends on. */
import { type Client, ProblemError, UnreachableError } from '@baton/api/client';
import { readServersFile, readSettings, SettingsError, strangeNames } from '@baton/boot';

import { projectFolder } from '../client/projectFolder.ts';
import { isLoopback } from '../client/runningAddress.ts';
import { unreachableHint } from '../client/unreachableHint.ts';
import { CommandError } from '../commandError.ts';
import type { Context } from '../context.ts';
import { plural } from '../output/text.ts';
import { type DoctorFinding, odd, ok, wrong } from './finding.ts';
import { retentionFindings } from './retentionFindings.ts';
import { serverFindings } from './serverFindings.ts';

export interface ExamineOptions {
  /** Connect to every server. */
  readonly servers: boolean;
}

export async function examine(context: Context, options: ExamineOptions): Promise<DoctorFinding[]> {
  const settings = await settingFindings(context);
  let client: Client;
  try {
    client = await context.client();
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    return [...settings, wrong('api', error.message, error.hint)];
  }
  const service = await partFindings(client);
  const mayAskMore = service.every(({ what, state }) => state !== 'wrong' || survivable.has(what));
  if (!mayAskMore) return [...settings, ...service];
  return [
    ...settings,
    ...service,
    ...(await retentionFindings(client)),
    ...(await serverFindings(client, options.servers)),
  ];
}

/** The settings of this machine, as a process that starts now would read them. */
async function settingFindings({ env }: Context): Promise<DoctorFinding[]> {
  try {
    const { settings } = readSettings([{ name: 'environment', values: env }]);
    const file = await readServersFile(settings.BATON_SERVERS, await projectFolder(env));
    const remarks = [...strangeNames(env, file.variables), ...file.notes];
    if (remarks.length > 0) return remarks.map((note) => odd('settings', note));
    const where =
      file.path === undefined
        ? 'there is no mcp.json here'
        : `${plural(file.config.servers.size, 'server')} in ${file.path}`;
    return [ok('settings', `All settings are valid; ${where}.`)];
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    return error.faults.map((fault) => wrong('settings', fault));
  }
}

interface InstallationPart {
  readonly status: 'ok' | 'away' | 'off';
  readonly message?: string;
}

/** The API answers all the same. */
const survivable: ReadonlySet<string> = new Set(['queue', 'clock', 'history']);

const partHints: Readonly<Record<string, string>> = {
  postgres: 'check that Postgres is running, and the orchestrator’s DATABASE_URL',
  queue: 'check that Redis is running, and the orchestrator’s REDIS_URL; runs continue, but slower',
  history: '`baton fence show` says what is missing, `baton fence lift` lets the runs go on',
  clock:
    'synchronize the clocks of the Baton and Postgres machines with NTP; an orchestrator whose clock differs fires no schedules',
};

async function partFindings(client: Client): Promise<DoctorFinding[]> {
  try {
    // A degraded service answers 503 and says why.
    const { status, text } = await client.connection.exchange('GET', '/readyz');
    const parts = partsOf(text);
    if (parts === undefined) {
      const what = `${client.url.href} is not Baton: it answered /readyz with ${status}.`;
      return [wrong('api', what, 'set the address of the Baton API with --url or BATON_URL')];
    }
    return [ok('api', `It answers at ${client.url.href}.`), ...Object.entries(parts).filter(isTold).map(partFinding)];
  } catch (error) {
    if (error instanceof UnreachableError)
      return [wrong('api', error.message, unreachableHint(error) ?? hintFor(client))];
    if (error instanceof ProblemError) return [wrong('api', error.message)];
    throw error;
  }
}

const hintFor = ({ url }: Client): string | undefined => (isLoopback(url) ? 'start Baton with `baton dev`' : undefined);

/** Whether to report the part: `retentionFindings` reports more about a working retention. */
const isTold = ([name, { status, message }]: [string, InstallationPart]): boolean =>
  name !== 'retention' || status !== 'ok' || message !== undefined;

/** What is true of a part that does not answer by itself. */
const soundParts: Readonly<Record<string, string>> = {
  clock: 'Agrees with that of Postgres.',
  history: 'Postgres has everything that these processes have seen.',
};

function partFinding([name, { status, message }]: [string, InstallationPart]): DoctorFinding {
  if (status !== 'ok') return wrong(name, message ?? 'No answer.', partHints[name]);
  return message === undefined ? ok(name, soundParts[name] ?? 'Answers.') : wrong(name, message);
}

function partsOf(text: string): Readonly<Record<string, InstallationPart>> | undefined {
  try {
    const { parts } = JSON.parse(text) as { parts?: unknown };
    return parts !== null && typeof parts === 'object'
      ? (parts as Readonly<Record<string, InstallationPart>>)
      : undefined;
  } catch {
    return undefined;
  }
}
