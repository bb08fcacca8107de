/** Requests or cancels a child run. */
import {
  type Command,
  type EventOf,
  type Run,
  type RunLimits,
  type RunPerson,
  FailureError,
  inputsOfItem,
  itemsLeft,
  partAt,
  resolve,
} from '@baton/engine';
import type { Plan } from '@baton/language';
import { type JsonObject, defined } from '@baton/primitives';

import type { Ports } from '../drivePorts.ts';
import type { ChildEvent } from '../record/reports.ts';
import { withLoadedValues } from '../values/withLoadedValues.ts';

type ChildCommand = Exclude<Command, { kind: 'call' | 'turn' }>;

/**
 * Returns the event to append now; undefined while the child runs and the step waits for it. Rejects with
 * `UnavailableError`.
 */
export const requestChild: typeof request = (ports, plan, run, command) =>
  request(ports, plan, run, command).catch((error: unknown) => {
    if (!(error instanceof FailureError)) throw error;
    const { failure } = error;
    return { type: 'child.finished', at: ports.clock.now(), path: command.path, runId: '', status: 'failed', failure };
  });

async function request(ports: Ports, plan: Plan, run: Run, command: ChildCommand): Promise<ChildEvent | undefined> {
  const { path, attempt } = command;
  const parent = { runId: run.id, path, attempt };
  const at = ports.clock.now();
  const base = { type: 'child.finished', at, path } as const;
  if (command.kind === 'cancelChild') {
    // Where there is no child, no other event will end the wait.
    return (await ports.children.cancel(parent, command.reason, command.cause))
      ? undefined
      : { ...base, runId: '', status: 'cancelled' };
  }
  const { workflow, version, item, budget, detached, goesOn, mustRead } = command.awaiting;
  const itemOf = async () => ({
    definition: run.definition,
    part: await withLoadedValues(ports, run.id, (blobs) => partAt(plan, run, path, blobs)),
  });
  const child = await ports.children.request({
    parent,
    workflow,
    ...defined({ version }),
    inputs: await withLoadedValues(ports, run.id, (blobs) =>
      item === true ? inputsOfItem(plan, run, path, blobs) : (resolve(command.awaiting.inputs, blobs) as JsonObject),
    ),
    by: run.by,
    ...(run.person && { person: withAgreement(run, run.person) }),
    depth: run.depth + 1,
    ...defined({ budget, goesOn, mustRead }),
    ...(run.limits === undefined ? {} : { limits: limitsLeft(run, run.limits) }),
    ...(item === true ? { item: await itemOf() } : {}),
    ...(run.rewind === undefined ? {} : { lost: { from: run.rewind.from, to: run.rewind.to } }),
  });
  if (detached === true && child.kind !== 'refused') {
    // The child may use all the items that are left, so this run has none any more.
    const taken = run.limits?.items === undefined ? {} : { itemCount: itemsLeft(run) };
    return { type: 'child.started', at, path, runId: child.runId, ...taken };
  }
  switch (child.kind) {
    case 'running':
      return undefined;
    case 'refused':
      return { ...base, runId: '', status: 'failed', failure: child.failure };
    case 'finished':
      return { ...base, ...endFields(child) };
  }
}

/** Who asked for the outermost run agreed to the texts that were deployed then. */
const withAgreement = ({ workflow, createdAt: at }: Run, person: RunPerson): RunPerson => ({
  agreed: { workflow, at },
  ...person,
});

const limitsLeft = (run: Run, limits: RunLimits): RunLimits =>
  limits.items === undefined ? limits : { ...limits, items: itemsLeft(run) };

type ChildEnd = Pick<EventOf<'child.finished'>, 'runId' | 'status' | 'outputs' | 'failure' | 'spent' | 'itemCount'>;

const endFields = ({ runId, status, outputs, failure, spent, itemCount }: ChildEnd): ChildEnd => ({
  runId,
  status,
  ...defined({ outputs, failure, spent, itemCount }),
});
