/** For tests: an orchestrator that polls a mailbox, as far as Postgres and the server can tell. */
import {
  DeployedTriggers,
  type EventHooks,
  type Polled,
  Poller,
  RunQuota,
  RunStarter,
  cachedTriggers,
} from '@baton/control';
import { readServers } from '@baton/protocol';
import { type Clock, systemClock } from '@baton/runner';
import {
  type PollFound,
  type Store,
  cachedPlans,
  countUnderWay,
  definitionOf,
  deleteWorkflow,
  deployWorkflow,
  listRuns,
  openStore,
} from '@baton/store';
import { type FreshStore, type Mailbox, MemoryBell, testSecretKey, testSecrets } from '@baton/testing';
import { openServers } from '@baton/transports';
import { onTestFinished } from 'vitest';

interface PollingOptions {
  /** What of the store is another. */
  readonly more?: Partial<Store>;
  readonly clock?: Clock;
  /** The name of the server. */
  readonly server?: string;
  readonly withEvents?: boolean;
  /** Where servers post events. */
  readonly hooks?: EventHooks;
  /** Unfinished runs that one trigger may have. Absent: any number. */
  readonly runsMax?: number;
}

export class PollingOrchestrator {
  readonly poller: Poller;
  readonly bell = new MemoryBell();
  readonly refused: string[] = [];
  readonly #store;
  readonly #servers;

  constructor(
    { url }: Pick<FreshStore, 'url'>,
    mailbox: Pick<Mailbox, 'entry'>,
    { more = {}, clock = systemClock, server = 'mail', hooks, withEvents = true, runsMax }: PollingOptions = {},
  ) {
    this.#store = openStore({ url, secretKey: testSecretKey });
    const { config } = readServers(JSON.stringify({ mcpServers: { [server]: mailbox.entry } }));
    this.#servers = openServers(config, {
      environment: {},
      secret: () => undefined,
      root: '/',
      version: 'test',
      withEvents,
    });
    const own: Store = { ...this.#store, ...more };
    const secrets = testSecrets(own);
    const { bell } = this;
    const note = (error: unknown): void => void this.refused.push(String(error));
    const quota =
      runsMax === undefined ? undefined : new RunQuota({ count: () => countUnderWay(own), clock, most: runsMax });
    const plans = cachedPlans(own);
    const starter = new RunStarter({ store: own, secrets, plans, bell, clock, quota, onBellFailed: note });
    const deployed = new DeployedTriggers(own, cachedTriggers(own), note);
    this.poller = new Poller({
      store: own,
      secrets,
      servers: this.#servers,
      starter,
      hooks,
      deployed,
      clock,
      onRefused: (_, reason) => this.refused.push(reason),
      onTrouble: note,
    });
  }

  async poll(workflow: string): Promise<Polled> {
    const poll = (await this.poller.all()).find((one) => one.workflow === workflow);
    if (poll === undefined) throw new Error(`${workflow} has no poll`);
    return this.poller.now(poll);
  }

  async end(): Promise<void> {
    await this.poller.close();
    await this.#servers.close();
    await this.#store.close();
  }
}

let count = 0;

export const subjectInput = 'inputs: { subject: "${{ item.subject }}" }';

interface PollingWorkflow {
  readonly name?: string;
  readonly key?: string;
  /** Keys of the file, such as its state. */
  readonly head?: string;
  readonly pins?: Parameters<typeof definitionOf>[2];
}

/** Deploys a workflow that polls the mailbox, until the test ends. `more`: keys of the trigger. Resolves to its name. */
export async function deployPolling(
  store: Store,
  more: string,
  { name = `mails-${(count += 1)}`, key = 'item.id', head = '', pins = {} }: PollingWorkflow = {},
): Promise<string> {
  const text = `workflow: ${name}
${head}
on:
  - poll: mail/search
    items: result.output.messages
    key: ${key}
    ${more.trimEnd().replaceAll('\n', '\n    ')}
inputs: { subject: {} }
steps: [{ set: { a: 1 } }]
`;
  const definition = definitionOf(text, 'yaml', pins);
  await deployWorkflow(store, { workflow: name, definition, findings: [], by: 'test' });
  onTestFinished(async () => {
    await deleteWorkflow(store, name, 'test');
  });
  return name;
}

export const mails = (...ids: readonly (string | number)[]) => ids.map((id) => ({ id, subject: `mail ${id}` }));

/** The subjects that the runs of the workflow were given, sorted. */
export async function subjectsOf(store: Store, workflow: string): Promise<unknown[]> {
  const found: unknown[] = [];
  for (let after: string | undefined, more = true; more;) {
    const { runs, next } = await listRuns(store, { workflow }, { limit: 1_000, ...(after && { after }) });
    found.push(
      ...runs.map(({ inputs }) => ('json' in inputs ? (inputs.json as { subject: unknown }).subject : inputs)),
    );
    after = next;
    more = next !== undefined;
  }
  return found
    .map((one) => JSON.stringify(one))
    .toSorted((a, b) => a.localeCompare(b))
    .map((one) => JSON.parse(one) as unknown);
}

export async function answered(from: Promise<Polled>): Promise<PollFound> {
  const polled = await from;
  if (polled.kind !== 'answered') throw new Error(JSON.stringify(polled));
  return polled.found;
}

export const pollNameFor = (workflow: string): string => `${workflow}.mail/search`;
