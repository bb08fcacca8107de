/** For tests of limited keys: a workflow with a schedule, a webhook, a poll and two runs, and the like of a session. */
import type { RunEvent } from '@baton/engine';
import { advance } from '@baton/runner';
import { type FreshStore, requestedEvent } from '@baton/testing';

import type { TestApp } from './testApp.ts';

export interface Owned {
  readonly workflow: string;
  /** A run that asks. */
  readonly asking: string;
  readonly question: string;
  /** A run that has failed. */
  readonly over: string;
  /** A person who has to do with the workflow alone; of sessions: with all. */
  readonly person: OwnedPerson;
  /** Another one, who is removed. */
  readonly leaving: OwnedPerson;
}

interface OwnedPerson {
  readonly id: string;
  readonly grant: string;
}

/** `rest`: what the workflow has besides its question and its triggers. A server `away` must be configured. */
export async function owned(app: TestApp, store: FreshStore, workflow: string, rest: string): Promise<Owned> {
  const poll = '{ poll: away/look, id: p, items: result.output, key: item.id }';
  const on = `on: [{ schedule: "0 6 * * *" }, { webhook: hk, secret: HK }, ${poll}]`;
  const { status, text } = await app.deploy(`workflow: ${workflow}\n${on}\n${rest}\n`);
  if (status !== 201) throw new Error(text);
  return runsOf(app, store, workflow, async () => {
    const { body } = await app.ask(`POST /v1/workflows/${encodeURIComponent(workflow)}/runs`, { json: {} });
    return String(body['id']);
  });
}

/** Sessions at the gateway, of another key; a run was started before. */
export async function ownedBySession(app: TestApp, store: FreshStore): Promise<Owned> {
  const { body } = await app.ask('GET /v1/runs?limit=1');
  const [{ id: any = '' } = {}] = body['data'] as { id?: string }[];
  const [first] = (await store.journal.open(any))?.events ?? [];
  const definition = first?.type === 'run.requested' ? first.definition : '';
  const trigger = { kind: 'session', detail: { session: 's', client: 'c', version: '1' } } as const;
  return runsOf(app, store, 'session', async () => {
    const event = requestedEvent({ at: first?.at ?? 0, workflow: 'session', definition, trigger, by: 'another key' });
    return (await store.request({ event })).runId;
  });
}

async function newPerson(app: TestApp, name: string, workflow: string): Promise<OwnedPerson> {
  const on = workflow === 'session' ? {} : { on: [workflow] };
  const grants = [{ role: 'viewer', effects: 'read', ...on }];
  const { body, text } = await app.ask('POST /v1/people', { json: { name, grants } });
  const [grant] = (body['grants'] ?? []) as { id: string }[];
  if (grant === undefined) throw new Error(text);
  return { id: String(body['id']), grant: grant.id };
}

async function runsOf(app: TestApp, store: FreshStore, workflow: string, start: () => Promise<string>): Promise<Owned> {
  const newRun = async (events: (at: number) => readonly RunEvent[]): Promise<string> => {
    const id = await start();
    await advance(store.journal, id, ({ at }) => [{ type: 'run.claimed', at, worker: 'w1', claim: 1 }, ...events(at)]);
    return id;
  };
  const form = { type: 'object', properties: {} };
  const awaiting = { for: 'answer', question: { message: 'Go on?', form } } as const;
  const asking = await newRun((at) => [
    { type: 'step.waiting', at, path: 'ok', verb: 'ask', attempt: 1, awaiting },
    { type: 'run.waiting', at },
  ]);
  const failure = { code: 'failed', message: 'x' };
  const over = await newRun((at) => [{ type: 'run.finished', at, status: 'failed', failure }]);
  const { body } = await app.ask(`GET /v1/questions?workflow=${workflow}`);
  const [question] = body['data'] as { id: string }[];
  const person = await newPerson(app, `person of ${workflow}`, workflow);
  const leaving = await newPerson(app, `leaving ${workflow}`, workflow);
  return { workflow, asking, over, question: question?.id ?? '', person, leaving };
}
