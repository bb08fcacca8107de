/**
 * Tells parents of the ends of their children. The children of one parent that end together share one append: each by
 * itself, ten of them would lose nine races for the same position, and read the parent again after each.
 */
import type { EventOf, Run } from '@baton/engine';
import { isEnded, rowOf, stateAt } from '@baton/engine';
import { Batches, firstOf } from '@baton/primitives';

import type { Journal } from '../ports/journal.ts';
import { UnavailableError } from '../ports/journal.ts';
import type { Ports } from '../ports/ports.ts';
import { advanceUnlessForged } from './advance.ts';

type ParentPorts = Pick<Ports, 'journal' | 'bell' | 'bus' | 'clock'>;

/** What the parent of a run that has ended is told. Throws `UnavailableError` where the run goes on. */
export function endOf(child: Run, path: string, at: number): EventOf<'child.finished'> {
  if (!isEnded(child)) throw new UnavailableError(`run ${child.id} is not over`);
  const { id: runId, status, spent, itemCount } = child;
  const { outputs, failure } = rowOf(child);
  return {
    type: 'child.finished',
    at,
    path,
    runId,
    status,
    ...(outputs && { outputs }),
    ...(failure && { failure }),
    spent,
    ...(itemCount > 0 && { itemCount }),
  };
}

/**
 * Notifies the parent of an ended run, and rings for it. Safe to repeat: the parent takes the event once. Rejects with
 * `UnavailableError`; the reconciler finds parents that were not notified.
 */
export async function tellParent(ports: ParentPorts, child: Run): Promise<void> {
  if (child.parent !== undefined) await tell(ports, child.parent.runId, [child]);
}

async function tell(ports: ParentPorts, parentId: string, children: readonly Run[]): Promise<void> {
  const told = await append(ports.journal, parentId, children, ports.clock.now());
  if (told === undefined) return;
  ports.bus.publish({ runId: parentId, seq: told.seq });
  await ports.bell.ring([{ runId: parentId, priority: told.priority }]);
}

async function append(
  journal: Journal,
  parentId: string,
  children: readonly Run[],
  at: number,
): Promise<Run | undefined> {
  const advanced = await advanceUnlessForged(journal, parentId, (run) => {
    if (isEnded(run)) return [];
    const told = new Set<string>();
    return children.flatMap((child) => {
      if (child.parent === undefined || told.has(child.id) || !isAwaited(run, child.parent)) return [];
      told.add(child.id);
      return [endOf(child, child.parent.path, Math.max(at, run.at))];
    });
  });
  return advanced === undefined || advanced.events.length === 0 ? undefined : advanced.run;
}

function isAwaited(run: Run, { path, attempt }: NonNullable<Run['parent']>): boolean {
  const state = stateAt(run, path);
  return state?.status === 'waiting' && state.attempt === attempt && state.arrived === undefined;
}

interface WaitingChild {
  readonly child: Run;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

const mostChildren = 256;

/** The ends that one process tells: those that come while an append to the parent is under way make up the next one. */
export class ChildEnds {
  readonly #ports: ParentPorts;
  readonly #byParent = new Map<string, Batches<WaitingChild>>();

  constructor(ports: ParentPorts) {
    this.#ports = ports;
  }

  /** As `tellParent`. */
  async tell(child: Run): Promise<void> {
    const { parent } = child;
    if (parent === undefined) return;
    const before = this.#byParent.get(parent.runId);
    const batches = before ?? this.#open(parent.runId);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    batches.add({ child, resolve, reject });
    if (before === undefined) {
      this.#byParent.set(parent.runId, batches);
      void batches.idle().then(() => this.#byParent.delete(parent.runId));
    }
    await promise;
  }

  #open(parentId: string): Batches<WaitingChild> {
    return new Batches<WaitingChild>({
      take: firstOf(mostChildren),
      carryOut: async (batch) => {
        try {
          const children = batch.map(({ child }) => child);
          await tell(this.#ports, parentId, children);
          for (const { resolve } of batch) resolve();
        } catch (error) {
          for (const { reject } of batch) reject(error);
        }
      },
    });
  }
}
