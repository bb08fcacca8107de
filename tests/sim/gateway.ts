/** The gateway of one orchestrator: production's calls of sessions over simulated ports. */
import type { SessionCheck } from '@baton/engine';
import { sessionWorkflow } from '@baton/language';
import {
  type CallPlace,
  type FollowCallOptions,
  type GatewayCall,
  type OpenSession,
  AppendQueues,
  GatewayCalls,
  HeldCalls,
  RunWatches,
} from '@baton/orchestrator/testing';
import { type Bell, type Bus, requested } from '@baton/runner';

import type { Connection, Database } from './database.ts';
import type { Machine } from './machine.ts';
import type { Safeguard } from './safeguards.ts';
import { declaredChecks, effects } from './servers.ts';
import type { Document } from './workflows.ts';

/** The definition of every session; its calls are in the journal. */
export const sessionDocument: Document = { workflow: sessionWorkflow, steps: [{ id: 'a', set: { x: 1 } }] };

export interface AgentCall {
  readonly session: string;
  readonly tool: string;
  /** What the call does: two calls with the same key are the same write. */
  readonly key: string;
}

export interface GatewayAround {
  readonly machine: Machine;
  readonly database: Database;
  readonly connection: Connection;
  readonly bell: Bell;
  readonly bus: Bus;
  readonly off: ReadonlySet<Safeguard>;
}

/** Holds a call for ever once a client has waited for it. */
class StickyCalls extends HeldCalls {
  override release(): void {
    // Nothing is given back.
  }
}

const principal = { id: 'k', name: 'ada', by: 'ada', scopes: new Set(['admin'] as const), workflows: undefined };
const client = { name: 'agent', version: '1', protocol: '2026-07-28', capabilities: '' };

export class Gateway {
  readonly #around: GatewayAround;
  readonly #calls: GatewayCalls;

  constructor(around: GatewayAround) {
    const { machine, database, connection, bell, bus, off } = around;
    const { clock } = machine;
    this.#around = around;
    const positions = (runIds: readonly string[]): Promise<ReadonlyMap<string, number>> =>
      machine.ask(() => new Map(runIds.map((runId) => [runId, database.journal.links(runId).length])));
    this.#calls = new GatewayCalls({
      journal: connection,
      bell,
      bus,
      clock,
      queues: new AppendQueues(),
      onBellFailed: () => undefined,
      store: { blobs: { get: (sha256) => connection.blobs.get(sha256) } },
      watches: new RunWatches({ bus, positions, clock }),
      runs: { open: (_principal, session, _client, after) => this.#open(session, after) },
      ...(off.has('givenBack') ? { held: new StickyCalls() } : {}),
    });
  }

  /** Resolves to whether the client has an answer. `signal`: its connection broke. */
  async call({ session, tool, key }: AgentCall, signal: AbortSignal): Promise<boolean> {
    const effect = { effect: effects[tool] ?? 'write', from: 'server' } as const;
    const wanted: GatewayCall = {
      principal,
      session,
      client,
      target: { verb: 'tool', server: 's', tool, effect, ...checkOf(tool) },
      arguments: { key },
      key: undefined,
      connection: session,
      question: '',
      needsApproval: false,
      refusal: undefined,
    };
    const placed: CallPlace = await this.#calls.place(wanted);
    const options: FollowCallOptions = { signal, forMs: 60_000, stopsAt: () => false, onProgress: () => undefined };
    const { kind } = await this.#calls.follow(placed, options);
    const hasAnswer = kind === 'ended' && !signal.aborted;
    if (kind === 'ended' || kind === 'sessionOver') this.#calls.answered(placed, hasAnswer);
    return hasAnswer;
  }

  async close(session: string): Promise<void> {
    const { runId } = await this.#open(session);
    await this.#calls.close(runId, 'ada');
  }

  /** As production finds the run of a session: by a key that leads from one run to the next. */
  async #open(session: string, after?: string): Promise<OpenSession> {
    const { machine, database, connection } = this.#around;
    for (let before = after; ;) {
      const trigger = { kind: 'session', detail: { session } } as const;
      const { workflow } = sessionDocument;
      const order = { workflow, version: 1, definition: workflow, inputs: {}, trigger, by: 'ada' };
      const idempotency = { scope: 'sessions', key: [session, before].join(' '), digest: session };
      const { runId, kind } = await connection.request({ ...requested(order, machine.clock.now()), idempotency });
      const isOver =
        kind !== 'created' && (await machine.ask(() => database.journal.row(runId)?.endedAt !== undefined));
      if (!isOver) return { runId, before: undefined };
      before = runId;
    }
  }
}

function checkOf(tool: string): { readonly check?: SessionCheck } {
  const declared = declaredChecks[tool];
  return declared === undefined ? {} : { check: { declared, effect: { effect: 'read', from: 'server' } } };
}
