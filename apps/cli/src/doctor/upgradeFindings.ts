/** `baton upgrade-check`: checks whether this version can continue the workflows and runs of a running Baton. */
import type { Client } from '@baton/api/client';
import { type RunEvent, failureCodes, replay } from '@baton/engine';
import { checkWorkflow } from '@baton/language';

import { plural } from '../output/text.ts';
import { version } from '../version.ts';
import { type DoctorFinding, odd, ok, wrong } from './finding.ts';

/** The maximum of unfinished runs to read. */
const runsMax = 500;

/** Rejects like every call of the client. */
export async function upgradeFindings(client: Client): Promise<DoctorFinding[]> {
  return [await versionFinding(client), ...(await workflowFindings(client)), ...(await runFindings(client))];
}

async function versionFinding(client: Client): Promise<DoctorFinding> {
  const { text } = await client.connection.exchange('GET', '/openapi.json');
  const { info } = JSON.parse(text) as { readonly info: { readonly version: string } };
  const said = `The Baton at ${client.url.href} is ${info.version}; this is ${version}.`;
  if (!isNewer(info.version, version)) return ok('version', said);
  return odd('version', said, 'run `baton upgrade-check` of the version that you want to upgrade to');
}

/** Compares the numbers of two versions, and ignores what follows a hyphen or a plus. */
function isNewer(one: string, other: string): boolean {
  const parts = (text: string): number[] => (text.split(/[-+]/)[0] ?? '').split('.').map(Number);
  const [left, right] = [parts(one), parts(other)];
  const at = left.findIndex((part, i) => part !== right[i]);
  return at >= 0 && (left[at] ?? 0) > (right[at] ?? 0);
}

async function workflowFindings(client: Client): Promise<DoctorFinding[]> {
  const refused: DoctorFinding[] = [];
  let sound = 0;
  for await (const { id } of client.workflows.all()) {
    const { source } = await client.workflows.get(id);
    const { findings } = checkWorkflow(source, { failureCodes: Object.keys(failureCodes) });
    const first = findings.find(({ severity }) => severity === 'error');
    if (first === undefined) sound += 1;
    else refused.push(refusal(id, first));
  }
  const all = plural(sound, 'workflow');
  return [...refused, ok('workflows', `${all} ${sound === 1 ? 'passes' : 'pass'} the check of this version.`)];
}

/** A finding, not an error: deployed versions continue, only the next one must pass the check. */
const refusal = (
  id: string,
  { line, column, message }: ReturnType<typeof checkWorkflow>['findings'][number],
): DoctorFinding =>
  odd(
    `workflow ${id}`,
    `${line}:${column} ${message}`,
    'correct it before the next deploy; deployed versions continue',
  );

async function runFindings(client: Client): Promise<DoctorFinding[]> {
  const unread: DoctorFinding[] = [];
  let read = 0;
  let isCut = false;
  const unfinished = client.runs.all({ status: ['queued', 'running', 'waiting'] }, { limit: runsMax + 1 });
  for await (const { id } of unfinished) {
    isCut = read + unread.length === runsMax;
    if (isCut) break;
    const events = await journalOf(client, id);
    try {
      replay(id, events);
      read += 1;
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      unread.push(wrong(`run ${id}`, error.message, 'let it end before the upgrade, or cancel it'));
    }
  }
  const all = plural(read, 'unfinished run');
  const finding = ok('runs', `${all} can be continued by this version.`);
  if (!isCut) return [...unread, finding];
  const rest = `Only the newest ${runsMax} unfinished runs were read; nothing is known of the older ones.`;
  return [...unread, finding, odd('runs', rest, 'let some of them end, and check again')];
}

/** All events so far. Rejects as the client does. */
async function journalOf(client: Client, id: string): Promise<readonly RunEvent[]> {
  const events: RunEvent[] = [];
  let cursor: string | undefined;
  do {
    const page = await client.runs.events(id, { limit: '100', ...(cursor === undefined ? {} : { cursor }) });
    events.push(...(page.data as unknown as readonly RunEvent[]));
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return events;
}
