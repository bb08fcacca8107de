/**
 * Notifies parents of the ends of their children. Children of one parent that end together share one append: ten
 * separate appends would race for one position, and each loser would read the parent again.
 */
import { type EventOf, type Run, isEnded, replay, rowOf, stateAt } from '@baton/engine';
import { Batches, firstOf, unawaited } from '@baton/primitives';

import type { Ports } from '../drivePorts.ts';
import { type Journal, type OpenRun, UnavailableError } from '../ports/journal.ts';
import { advanceUnlessForged } from '../record/advance.ts';
import { trustedEvents } from '../record/trustedEvents.ts';

type ParentPorts = Pick<Ports, 'journal' | 'bell' | 'bus' | 'clock'>;

/** The event in the parent's journal for an ended child. Throws `UnavailableError` where the child has not ended. */
export function childEndEvent(child: Run, path: string, at: number): EventOf<'child.finished'> {
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
 * Appends the end of a run to its parent, and rings for the parent. Safe to repeat: the parent takes it once. Rejects with
 * `UnavailableError`; the reconciler finds parents that were not notified.
 */
export async function notifyParent(ports: ParentPorts, child: Run): Promise<void> {
  if (child.parent !== undefined) await notify(ports, child.parent.runId, [child]);
}

/** `early`: the parent may still come to wait for the child, since its own append that says so may be late. */
export type ParentNotice = 'notified' | 'needless' | 'early';

/** As `notifyParent`, for a child that another process drove to its end. */
export async function notifyParentOf(ports: ParentPorts, childId: string): Promise<ParentNotice> {
  const opened = await ports.journal.open(childId);
  if (opened === undefined) return 'needless';
  const events = trustedEvents(childId, opened);
  const child = events.length === 0 ? undefined : replay(childId, events);
  return child?.parent === undefined ? 'needless' : notify(ports, child.parent.runId, [child]);
}

/** As `notifyParent`, from a journal that may be forged. */
export async function notifyTrusted(
  ports: ParentPorts,
  childId: string,
  opened: Pick<OpenRun, 'events' | 'forgery'>,
): Promise<void> {
  const events = trustedEvents(childId, opened);
  if (events.length > 0) await notifyParent(ports, replay(childId, events));
}

async function notify(ports: ParentPorts, parentId: string, children: readonly Run[]): Promise<ParentNotice> {
  const { notified, isEarly } = await append(ports.journal, parentId, children, ports.clock.now());
  if (notified === undefined) return isEarly ? 'early' : 'needless';
  ports.bus.publish({ runId: parentId, seq: notified.seq });
  await ports.bell.ring([{ runId: parentId, priority: notified.priority }]);
  return isEarly ? 'early' : 'notified';
}

async function append(
  journal: Journal,
  parentId: string,
  children: readonly Run[],
  at: number,
): Promise<{ readonly notified: Run | undefined; readonly isEarly: boolean }> {
  let isEarly = false;
  const advanced = await advanceUnlessForged(journal, parentId, (run) => {
    isEarly = !isEnded(run) && children.some((child) => child.parent !== undefined && !isBegun(run, child.parent));
    if (isEnded(run)) return [];
    const notified = new Set<string>();
    return children.flatMap((child) => {
      if (child.parent === undefined || notified.has(child.id) || !isAwaited(run, child.parent)) return [];
      notified.add(child.id);
      return [childEndEvent(child, child.parent.path, Math.max(at, run.at))];
    });
  });
  return { notified: advanced === undefined || advanced.events.length === 0 ? undefined : advanced.run, isEarly };
}

/** Whether the step's attempt has begun: from then on it waits for the child, or will never wait for it. */
const isBegun = (run: Run, { path, attempt }: NonNullable<Run['parent']>): boolean =>
  (stateAt(run, path)?.attempt ?? 0) >= attempt;

function isAwaited(run: Run, { path, attempt }: NonNullable<Run['parent']>): boolean {
  const state = stateAt(run, path);
  return state?.status === 'waiting' && state.attempt === attempt && state.arrived === undefined;
}

interface WaitingChild {
  readonly child: Run;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

const batchMax = 256;

/** Batches the notifications of one process: ends that come during an append to the parent go into the next append. */
export class ChildEnds {
  readonly #ports: ParentPorts;
  readonly #byParent = new Map<string, Batches<WaitingChild>>();

  constructor(ports: ParentPorts) {
    this.#ports = ports;
  }

  /** As `notifyParent`. */
  async notify(child: Run): Promise<void> {
    const { parent } = child;
    if (parent === undefined) return;
    const before = this.#byParent.get(parent.runId);
    const batches = before ?? this.#open(parent.runId);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    batches.add({ child, resolve, reject });
    if (before === undefined) {
      this.#byParent.set(parent.runId, batches);
      unawaited(batches.idle().then(() => this.#byParent.delete(parent.runId)));
    }
    await promise;
  }

  #open(parentId: string): Batches<WaitingChild> {
    return new Batches<WaitingChild>({
      take: firstOf(batchMax),
      carryOut: async (batch) => {
        try {
          const children = batch.map(({ child }) => child);
          await notify(this.#ports, parentId, children);
          for (const { resolve } of batch) resolve();
        } catch (error) {
          for (const { reject } of batch) reject(error);
        }
      },
    });
  }
}
