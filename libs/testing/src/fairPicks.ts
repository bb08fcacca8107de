/** What the statement of `neglectedRuns` answers, in memory: for the simulation, and compared with Postgres by a test. */
import type { FairShare, NeglectedRun } from '@baton/runner';

export interface QueuedRun {
  readonly id: string;
  readonly by: string;
  readonly workflow: string;
  readonly priority: number;
}

/** The runs of one caller and one workflow. */
interface Part {
  readonly by: string;
  /** That the worker drives. */
  driven: number;
  readonly waiting: QueuedRun[];
}

interface Candidate extends NeglectedRun {
  /** Runs of its part that go before it, and itself. */
  readonly place: number;
  readonly turn: number;
}

const byPriority = (a: QueuedRun, b: QueuedRun): number => a.priority - b.priority || (a.id < b.id ? -1 : 1);
const byPlace = (a: Candidate, b: Candidate): number => a.place - b.place || (a.runId < b.runId ? -1 : 1);

/** `waiting`: the runs that have waited for long enough; `driven`: those that the worker drives. */
export function fairPicks(
  waiting: Iterable<QueuedRun>,
  driven: Iterable<QueuedRun>,
  { slots, limit, except, served }: Pick<FairShare, 'slots' | 'limit' | 'except' | 'served'>,
): readonly NeglectedRun[] {
  const parts = new Map<string, Part>();
  const partOf = ({ by, workflow }: QueuedRun): Part => {
    const key = JSON.stringify([by, workflow]);
    const part = parts.get(key) ?? { by, driven: 0, waiting: [] };
    parts.set(key, part);
    return part;
  };
  const drivenIds = new Set<string>();
  for (const run of driven) {
    drivenIds.add(run.id);
    partOf(run).driven += 1;
  }
  for (const run of waiting) if (!drivenIds.has(run.id) && !except.includes(run.id)) partOf(run).waiting.push(run);
  const callers = Map.groupBy(parts.values(), ({ by }) => by);
  const share = Math.ceil(slots / callers.size);
  const candidates = [...callers.values()].flatMap((own) =>
    candidatesOf(own, { share, slots, limit, callers: callers.size }),
  );
  return candidates
    .toSorted((a, b) => a.turn - b.turn || served.indexOf(a.by) - served.indexOf(b.by) || byPlace(a, b))
    .filter(({ turn }, at) => at + 1 < limit || turn === 1)
    .slice(0, limit);
}

/** Those of one caller, who gets `share` slots. */
function candidatesOf(
  parts: readonly Part[],
  { share, slots, limit, callers }: { share: number; slots: number; limit: number; callers: number },
): readonly Candidate[] {
  const driven = parts.reduce((sum, part) => sum + part.driven, 0);
  const shareOfPart = Math.min(Math.ceil(slots / 2), Math.ceil(slots / callers / parts.length));
  if (driven >= share) return [];
  const half = Math.floor((limit - 1) / 2);
  return parts
    .flatMap((part) =>
      part.waiting
        .toSorted(byPriority)
        .slice(0, limit)
        .map(({ id, by }, at) => ({ runId: id, by, place: part.driven + at + 1, turn: 0, nth: at + 1, part })),
    )
    .filter(
      ({ place, nth, part }) =>
        part.driven < shareOfPart && place <= shareOfPart && (nth <= half || (nth === 1 && part.driven === 0)),
    )
    .toSorted(byPlace)
    .map(({ runId, by, place }, at) => ({ runId, by, place, turn: driven + at + 1 }))
    .filter(({ turn }) => turn <= share);
}
