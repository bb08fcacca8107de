/** Requests a child run once, and notifies its parent when it ends. */
import type { Command, EventOf, Run } from '@baton/engine';
import { isEnded, itemsLeft, partAt, resolve, rowOf, stateAt } from '@baton/engine';
import type { JsonObject, Plan } from '@baton/language';

import { advanceUnlessForged } from './advance.ts';
import type { Journal } from './journal.ts';
import { UnavailableError } from './journal.ts';
import type { Ports } from './ports.ts';
import { withLoadedValues } from './withLoadedValues.ts';

/** What is known of a child: that it is over, or, where it is not waited for, that it exists. */
export type ChildNews = EventOf<'child.finished'> | EventOf<'child.started'>;

type ChildCommand = Exclude<Command, { kind: 'call' }>;

/** Returns what is known of the child at once; undefined while it runs and is waited for. Rejects with `UnavailableError`. */
export async function requestChild(
  ports: Ports,
  plan: Plan,
  run: Run,
  command: ChildCommand,
): Promise<ChildNews | undefined> {
  const { path, attempt } = command;
  const parent = { runId: run.id, path, attempt };
  const at = ports.clock.now();
  const base = { type: 'child.finished', at, path } as const;
  if (command.kind === 'cancelChild') {
    // Where there is no child, no other event will say that it is over.
    return (await ports.children.cancel(parent, command.reason))
      ? undefined
      : { ...base, runId: '', status: 'cancelled' };
  }
  const { workflow, version, item, budget, detached } = command.awaiting;
  const inputs = item === true ? run.inputs : command.awaiting.inputs;
  const ofRun = async () => ({
    definition: run.definition,
    part: await withLoadedValues(ports, run.id, (blobs) => partAt(plan, run, path, blobs)),
  });
  const child = await ports.children.request({
    parent,
    workflow,
    ...(version === undefined ? {} : { version }),
    inputs: await withLoadedValues(ports, run.id, (blobs) => resolve(inputs, blobs) as JsonObject),
    by: run.by,
    depth: run.depth + 1,
    ...(budget === undefined ? {} : { budget }),
    ...(run.limits?.items === undefined ? {} : { limits: { items: itemsLeft(run) } }),
    ...(item === true ? { item: await ofRun() } : {}),
  });
  if (detached === true && child.kind !== 'refused') {
    // It may have as many items as were left, and so this run has none any more.
    const taken = run.limits?.items === undefined ? {} : { itemCount: itemsLeft(run) };
    return { type: 'child.started', at, path, runId: child.runId, ...taken };
  }
  switch (child.kind) {
    case 'running':
      return undefined;
    case 'refused':
      return { ...base, runId: '', status: 'failed', failure: child.failure };
    case 'finished':
      return { ...base, ...endOf(child) };
  }
}

type ChildEnd = Pick<EventOf<'child.finished'>, 'runId' | 'status' | 'outputs' | 'failure' | 'spent' | 'itemCount'>;

const endOf = ({ runId, status, outputs, failure, spent, itemCount }: ChildEnd): ChildEnd => ({
  runId,
  status,
  ...(outputs === undefined ? {} : { outputs }),
  ...(failure === undefined ? {} : { failure }),
  ...(spent === undefined ? {} : { spent }),
  ...(itemCount === undefined ? {} : { itemCount }),
});

/**
 * Notifies the parent of an ended run, and rings for it. Safe to repeat: the parent takes the event once. Rejects with
 * `UnavailableError`; the reconciler finds parents that were not notified.
 */
export async function tellParent(ports: Pick<Ports, 'journal' | 'bell' | 'bus' | 'clock'>, child: Run): Promise<void> {
  const { parent } = child;
  if (parent === undefined) return;
  const told = await tell(ports.journal, child, ports.clock.now());
  if (told === undefined) return;
  ports.bus.publish({ runId: parent.runId, seq: told.seq });
  await ports.bell.ring([{ runId: parent.runId, priority: told.priority }]);
}

async function tell(journal: Journal, child: Run, at: number): Promise<Run | undefined> {
  const { parent, spent, itemCount } = child;
  if (parent === undefined) return undefined;
  if (!isEnded(child)) throw new UnavailableError(`run ${child.id} is not over`);
  const { status } = child;
  const { outputs, failure } = rowOf(child);
  const advanced = await advanceUnlessForged(journal, parent.runId, (run) => {
    const state = stateAt(run, parent.path);
    const isExpected = state?.status === 'waiting' && state.attempt === parent.attempt && state.arrived === undefined;
    if (!isExpected || isEnded(run)) return [];
    const ended = { runId: child.id, status, ...(outputs && { outputs }), ...(failure && { failure }), spent };
    const end = itemCount === 0 ? ended : { ...ended, itemCount };
    return [{ type: 'child.finished', at: Math.max(at, run.at), path: parent.path, ...end }];
  });
  return advanced === undefined || advanced.events.length === 0 ? undefined : advanced.run;
}
