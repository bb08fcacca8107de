/** Indexes a finished run's journal by step: the last intent of each step, and how it last ended. */
import type { Failure } from '../failure.ts';
import type { Call, EventOf, RunEvent, WaitCondition } from '../state/event.ts';
import type { Path } from '../state/path.ts';
import { shownEffectOf } from '../state/shownEffectOf.ts';
import { type UndoEnd, undoEndOf, undoneBy } from '../state/undoEnd.ts';

/** An event with which a step ended, or was left with an unknown outcome. */
export type StepEndEvent = EventOf<'step.succeeded' | 'step.failed' | 'step.unknown' | 'step.skipped'>;

/** Positions are indices into the journal, counted from 0. */
export interface PastStep {
  started: number | undefined;
  /** The event that ended its last attempt; undefined where that was cancelled or is open. */
  ended: number | undefined;
  /** The call or the wait of its last attempt. */
  intent: Call | WaitCondition | undefined;
  /** The last call, also where a question about it came after it. */
  call: Call | undefined;
  lastAttempt: number;
  /** The last call whose answer was lost, and where the journal says so. */
  lost: { readonly attempt: number; readonly at: number; readonly failure: Failure } | undefined;
  /** Attempts that may have happened: their answers were lost. */
  readonly unknownAttempts: Set<number>;
  readonly items: Map<number, number>;
}

/** The last call or wait of each step. */
export type Intents = ReadonlyMap<Path, Call | WaitCondition>;

/** `before`: of the run that it goes on from, whose outcomes it has kept without their calls. */
export function intentsOf(journal: readonly RunEvent[], before: Intents): Intents {
  const past = new PastSteps(journal);
  const own = journal.flatMap((event) => {
    const step = 'path' in event ? past.get(event.path) : undefined;
    const intent = step?.call ?? step?.intent;
    return 'path' in event && intent !== undefined ? [[event.path, intent] as const] : [];
  });
  return new Map([...before, ...own]);
}

export class PastSteps {
  readonly #byPath = new Map<Path, PastStep>();
  /** How the undo of each step ended whose undo has begun. */
  readonly #undoEnds = new Map<Path, UndoEnd>();
  /** Steps that do not stand: they are undone, in part, or may be. */
  readonly #undone = new Set<Path>();
  /** Prefixes of the frames in which something was undone. */
  readonly #undoneFrames = new Set<string>();
  /** By the path of a `forEach` or a `repeat`: numbers of the items or rounds in which something has begun. */
  readonly #frames = new Map<Path, Set<number>>();

  constructor(journal: readonly RunEvent[]) {
    const inUndo = new Map<Path, Set<Path>>();
    for (const [index, event] of journal.entries()) {
      if ('path' in event) {
        const undone = undoneBy(event.path) ?? (event.type === 'step.undone' ? event.path : undefined);
        if (undone !== undefined) inUndo.set(undone, (inUndo.get(undone) ?? new Set()).add(event.path));
        this.#note(event, index);
      }
      // The item is the rerun's even where it did not begin it again before its own end.
      else if (event.type === 'child.kept') this.#noteFrames(event.step);
    }
    for (const [path, paths] of inUndo)
      this.#noteUndo(
        path,
        [...paths].filter((one) => one !== path),
        journal,
      );
  }

  get(path: Path): PastStep | undefined {
    return this.#byPath.get(path);
  }

  get undone(): ReadonlySet<Path> {
    return this.#undone;
  }

  /** How its undo ended; undefined where it has none that began. */
  undoEnd(path: Path): UndoEnd | undefined {
    return this.#undoEnds.get(path);
  }

  /** Whether something was undone in the frame. `prefix`: as `framePrefix` makes it. */
  isUndoneIn(prefix: string): boolean {
    return this.#undoneFrames.has(prefix);
  }

  framesOf(path: Path): ReadonlySet<number> | undefined {
    return this.#frames.get(path);
  }

  #note(event: Extract<RunEvent, { path: string }>, index: number): void {
    const { path } = event;
    this.#noteFrames(path);
    const past = this.#byPath.get(path) ?? newStep();
    this.#byPath.set(path, past);
    switch (event.type) {
      case 'step.started':
        past.started = index;
        past.ended = undefined;
        past.intent = event.call;
        past.call = event.call;
        past.lastAttempt = event.attempt;
        return;
      case 'step.waiting':
        past.ended = undefined;
        past.intent = event.awaiting;
        return;
      case 'step.retrying':
        past.ended = undefined;
        if (event.delivery === 'unknown') noteLost(past, event, index);
        return;
      case 'step.cancelled':
        past.ended = undefined;
        return;
      case 'step.unknown':
        past.ended = index;
        noteLost(past, event, index);
        return;
      case 'step.failed':
        past.ended = index;
        // Its answer came late, after all.
        past.unknownAttempts.delete(event.attempt);
        if (past.lost?.attempt === event.attempt) past.lost = undefined;
        return;
      case 'step.succeeded':
      case 'step.skipped':
        past.ended = index;
        past.lost = undefined;
        return;
      case 'item.finished':
        past.items.set(event.index, index);
        return;
      default:
    }
  }

  #noteUndo(path: Path, inside: readonly Path[], journal: readonly RunEvent[]): void {
    const steps = inside.map((one) => ({ path: one, ...endIn(this.#byPath.get(one), journal) }));
    const end = undoEndOf(steps);
    this.#undoEnds.set(path, end);
    const hasChanged = steps.some((one) => one.status === 'succeeded' && mayChange(this.#byPath.get(one.path)));
    if ((end === 'failed' || end === 'skipped') && !hasChanged) return;
    this.#undone.add(path);
    for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1))
      this.#undoneFrames.add(path.slice(0, at + 1));
  }

  #noteFrames(path: Path): void {
    for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) {
      const end = path.indexOf('/', at + 1);
      const name = path.slice(at + 1, end < 0 ? path.length : end);
      if (end < 0 || !/^\d+$/.test(name)) continue;
      const holder = path.slice(0, at);
      const known = this.#frames.get(holder);
      if (known === undefined) this.#frames.set(holder, new Set([Number(name)]));
      else known.add(Number(name));
    }
  }
}

type StepEnd = Pick<Parameters<typeof undoEndOf>[0][number], 'status' | 'failure'>;

function endIn(past: PastStep | undefined, journal: readonly RunEvent[]): StepEnd {
  const event = past?.ended === undefined ? undefined : journal[past.ended];
  switch (event?.type) {
    case 'step.succeeded':
      return { status: 'succeeded' };
    case 'step.skipped':
      return { status: 'skipped' };
    case 'step.failed':
      return { status: 'failed', failure: event.failure };
    case 'step.unknown':
      return { status: 'unknown' };
    default:
      return { status: 'cancelled' };
  }
}

/** Whether a step of an undo changed something: then what it undoes does not stand as it was. */
const mayChange = (past: PastStep | undefined): boolean =>
  past?.call === undefined
    ? past?.intent !== undefined && 'for' in past.intent && past.intent.for === 'child'
    : past.call.verb === 'tool' && shownEffectOf(past.call) !== 'read';

function noteLost(past: PastStep, event: EventOf<'step.retrying' | 'step.unknown'>, at: number): void {
  const { attempt, failure } = event;
  past.unknownAttempts.add(attempt);
  past.lost = { attempt, at, failure };
  // Of a call of the run before, which this one was to look up.
  if (event.type !== 'step.unknown' || event.call === undefined) return;
  past.intent = event.call;
  past.call = event.call;
  past.lastAttempt = attempt;
}

const newStep = (): PastStep => ({
  started: undefined,
  ended: undefined,
  intent: undefined,
  call: undefined,
  lastAttempt: 0,
  lost: undefined,
  unknownAttempts: new Set(),
  items: new Map(),
});
