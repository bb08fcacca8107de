/**
 * Finds and starts the runs of sessions. A session has a name within its key: `?session=` of the address, the id of its
 * connection, or the name of the client. Any orchestrator finds the run by that name, also after a restart. If the run
 * has ended, or is full, the next call starts another.
 */
import { createHash } from 'node:crypto';

import { control, type InlineWorkflow, idempotencyOf, type RunStarter, type Principal } from '@baton/control';
import { sessionWorkflow } from '@baton/language';
import { NewestMap } from '@baton/primitives';
import type { Journal } from '@baton/runner';
import { type Store, definitionOf, getIdempotencyKey, getRun, planOf, putDefinition } from '@baton/store';

/** The client's claims about itself, for readers of its run and for resumed connections. */
export interface SessionClient {
  readonly name: string;
  readonly version: string;
  readonly protocol: string;
  readonly capabilities: string;
}

interface WantedSession {
  readonly name: string;
  readonly client: SessionClient;
  readonly after: string | undefined;
}

export interface OpenSession {
  readonly runId: string;
  /** The run of the session before this one, if there is one. */
  readonly before: string | undefined;
}

export interface SessionRunsOptions {
  readonly store: Store;
  readonly journal: Journal;
  readonly starter: RunStarter;
}

/** The definition of every session; the calls are in the journal. */
const source = `workflow: ${sessionWorkflow}
title: A session at the gateway
description: Its steps are the calls that its client asked for.
steps: [{ set: {} }]
`;

const keptMax = 10_000;

const idOf = ({ id }: Principal, name: string): string => `${id} ${name}`;

export class SessionRuns {
  readonly #options: SessionRunsOptions;
  #definition: Promise<InlineWorkflow> | undefined;
  readonly #order = { inline: () => (this.#definition ??= this.#define()) };
  /** By key and name: the run used last. */
  readonly #last = new NewestMap<string, OpenSession>(keptMax);
  readonly #finding = new Map<string, Promise<OpenSession>>();

  constructor(options: SessionRunsOptions) {
    this.#options = options;
  }

  /**
   * Resolves to the session's run, and starts one if none is unfinished. `after`: a run of the session that takes no
   * more calls. Rejects with `ProblemError` and `UnavailableError`.
   */
  async open(principal: Principal, name: string, client: SessionClient, after?: string): Promise<OpenSession> {
    const id = idOf(principal, name);
    // One at a time: of two simultaneous requests, the second finds the run of the first.
    const before = this.#finding.get(id);
    const open = (): Promise<OpenSession> => this.#open(id, principal, { name, client, after });
    const finding = before === undefined ? open() : before.then(open, open);
    this.#finding.set(id, finding);
    try {
      return await finding;
    } finally {
      if (this.#finding.get(id) === finding) this.#finding.delete(id);
    }
  }

  /** The last run of this name; undefined if there is none. */
  async find(principal: Principal, name: string): Promise<string | undefined> {
    let runId: string | undefined;
    for (;;) {
      const used = await getIdempotencyKey(this.#options.store, this.#key(principal, name, runId));
      if (used === undefined) return runId;
      runId = used.runId;
    }
  }

  /** Whether the client ended the session, at any orchestrator, and its run has ended. Rejects with `UnavailableError`. */
  async isClosed(principal: Principal, name: string): Promise<boolean> {
    const { store, journal } = this.#options;
    const known = this.#last.get(idOf(principal, name));
    if (known !== undefined && (await getRun(store, known.runId))?.endedAt === undefined) return false;
    const runId = await this.find(principal, name);
    if (runId === undefined || (await getRun(store, runId))?.endedAt === undefined) return false;
    return (await journal.open(runId))?.events.some(({ type }) => type === 'session.closed') === true;
  }

  async #open(id: string, principal: Principal, wanted: WantedSession): Promise<OpenSession> {
    const { name, client, after } = wanted;
    const isOver = async (runId: string): Promise<boolean> => runId === after || this.#isOver(runId);
    const last = this.#last.get(id);
    if (last !== undefined && !(await isOver(last.runId))) return this.#remember(id, last);
    for (let before = last?.runId; ;) {
      const detail = { session: name, client: client.name, version: client.version };
      const { protocol, capabilities } = client;
      const trigger = { kind: 'session', detail: { ...detail, protocol, capabilities } } as const;
      const idempotency = this.#key(principal, name, before);
      const { runId, isNew } = await control.startRun(this.#options, principal, {
        order: this.#order,
        trigger,
        idempotency,
      });
      if (isNew || !(await isOver(runId))) {
        return this.#remember(id, { runId, before });
      }
      before = runId;
    }
  }

  /** The next run of a session has a link to the one before. */
  #key({ id }: Principal, name: string, before: string | undefined) {
    const key = createHash('sha256').update(name).digest('hex').slice(0, 40);
    const idempotency = idempotencyOf(before === undefined ? key : `${key}.${before}`, `${id} session`, {
      session: name,
    });
    if (idempotency === undefined) throw new Error('a session has a name');
    return idempotency;
  }

  async #isOver(runId: string): Promise<boolean> {
    const run = await getRun(this.#options.store, runId);
    return run === undefined || run.endedAt !== undefined || run.isCancelling;
  }

  async #define(): Promise<InlineWorkflow> {
    const definition = definitionOf(source, 'yaml', {});
    await putDefinition(this.#options.store, definition);
    return { workflow: sessionWorkflow, definition: definition.digest, plan: await planOf(definition) };
  }

  #remember(id: string, open: OpenSession): OpenSession {
    this.#last.set(id, open);
    return open;
  }
}
