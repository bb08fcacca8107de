/** The rules for runs that ask for runs: what the referee judges one by one is not all that was promised. */
import { type Run, type RunEvent, isEnded, stateAt } from '@baton/engine';

import type { Performed } from './ledger.ts';
import type { Record } from './record.ts';

export type Breaker = (promise: string, detail: string) => void;

type Records = ReadonlyMap<string, Record>;

/** At the moment in which a child is requested. */
export function judgeBeginning(records: Records, child: Run, onBroken: Breaker): void {
  const { parent } = child;
  const asking = parent && records.get(parent.runId)?.states.at(-1);
  if (asking !== undefined && isEnded(asking))
    onBroken('P15 no child after its parent', `${child.id} began after ${asking.id} had ended`);
}

/** After everything: no write of a child that its parent has done with. Detached children outlive their parents. */
export function judgeWritesOfChildren(records: Records, writes: readonly Performed[], onBroken: Breaker): void {
  for (const { runId, attemptKey, sentAt } of writes) {
    const parent = records.get(runId)?.states[1]?.parent;
    const record = parent && records.get(parent.runId);
    if (record === undefined || isDetached(record, runId)) continue;
    const over = record.written.find(
      ({ event, at }, index) => at < sentAt && isEndFor(event, { id: runId, parent }, record.states[index]),
    );
    if (over !== undefined)
      onBroken('P16 no write after its tree', `${attemptKey} was sent after ${parent?.runId} ${over.event.type}`);
  }
}

const isDetached = ({ written }: Record, childId: string): boolean =>
  written.some(({ event }) => event.type === 'child.started' && event.runId === childId);

/** Whether the parent has done with the child: it was told of an end, or of no child, or has ended itself. */
function isEndFor(event: RunEvent, { id, parent }: Pick<Run, 'id' | 'parent'>, before: Run | undefined): boolean {
  if (event.type === 'run.finished')
    // The children of a run that was set aside are let be.
    return event.status !== 'failed' || event.failure.code !== 'run-poisonous';
  if (event.type !== 'child.finished' || event.path !== parent?.path) return false;
  const attempt = before && stateAt(before, event.path)?.attempt;
  return event.runId === id || (event.runId === '' && attempt === parent.attempt);
}
