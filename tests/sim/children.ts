/** The child runs that steps ask for, with the reads that production makes before it creates one. */
import { isEnded } from '@baton/engine';
import { type Bell, type Children, type ChildState, advance, requested } from '@baton/runner';

import type { Connection, Database } from './database.ts';
import type { Machine } from './machine.ts';
import type { Rates } from './rates.ts';
import type { Reads } from './reads.ts';
import type { Safeguard } from './safeguards.ts';

export interface ChildrenAround {
  readonly machine: Machine;
  readonly database: Database;
  readonly connection: Connection;
  readonly bell: Bell;
  readonly reads: Reads;
  readonly rates: () => Rates;
  readonly off: ReadonlySet<Safeguard>;
}

/** How long a request may wait until its caller has room for another run. */
const quotaMs = 5_000;

export function childRuns({ machine, database, connection, bell, reads, rates, off }: ChildrenAround): Children {
  const { journal } = database;
  const ring = (runId: string): void => {
    bell.ring([{ runId }]).catch(() => {});
  };
  const stateOf = (runId: string): ChildState => {
    const { status, outputs, failure } = journal.row(runId) ?? {};
    if (status !== 'succeeded' && status !== 'failed' && status !== 'cancelled') return { kind: 'running', runId };
    return { kind: 'finished', runId, status, ...(outputs && { outputs }), ...(failure && { failure }) };
  };
  const quota = async (): Promise<void> => {
    if (!machine.random.chance(rates().quotaWaits)) return;
    await new Promise<void>((resolve) => machine.clock.after(machine.random.int(1, quotaMs), resolve));
  };
  return {
    async request({ parent, workflow, inputs, by, depth, item }) {
      const known = await reads.ask('childReadFails', () => journal.childOf(parent));
      if (known !== undefined) return machine.ask(() => stateOf(known));
      // The version of the workflow.
      if (item === undefined) await reads.ask('childReadFails', () => undefined);
      await quota();
      const trigger = { kind: 'workflow', detail: { run: parent.runId, step: parent.path } } as const;
      const { definition = workflow, part } = item ?? {};
      const order = { workflow, version: 1, definition, inputs, trigger, by, parent, depth, part };
      const parentWorker = off.has('drivenParents') ? undefined : machine.name;
      const { runId, kind } = await connection.request({ ...requested(order, machine.clock.now()), parentWorker });
      if (kind === 'created') ring(runId);
      return machine.ask(() => stateOf(runId));
    },
    async cancel(parent, reason) {
      const runId = await reads.ask('childReadFails', () => journal.childOf(parent));
      if (runId === undefined) return false;
      const advanced = await advance(connection, runId, (run) => {
        if (isEnded(run) || run.cancel !== undefined) return [];
        const at = Math.max(machine.clock.now(), run.at);
        return [{ type: 'run.cancelRequested', at, by: `run ${parent.runId}`, reason }];
      });
      if (advanced !== undefined && advanced.events.length > 0) ring(runId);
      return true;
    },
  };
}
