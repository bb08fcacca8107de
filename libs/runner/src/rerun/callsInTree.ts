/**
 * Lists the calls that a rerun makes again, of the run and of all runs that count as part of it: the runs that it went
 * on from itself, the runs that went on from it or from one of them, and the child runs of all of these, at any depth. A
 * call counts wherever it was made.
 */
import {
  type CarriedOutcomes,
  type KeptChildRun,
  type HasPlace,
  type LastCall,
  type Lookup,
  type OpenCall,
  type Path,
  type RepeatedCall,
  FailureError,
  findStep,
  hasPlaceIn,
  likelier,
  movedWrites,
  nothingCarried,
  openSteps,
  repeatedCalls,
  writesFirst,
  writesWithoutPlace,
} from '@baton/engine';
import type { Plan } from '@baton/language';
import { defined } from '@baton/primitives';

import { type GoOnTarget, goOn } from './goOn.ts';
import { type PastRun, type PastRuns, firstOf, goesOnFrom, pastRun } from './pastRun.ts';

export interface RepeatedCallSources extends PastRuns {
  /** Ids of the runs that went on from the run. Rejects with `UnavailableError`. */
  readonly rerunsOf: (runId: string) => Promise<readonly string[]>;
  /** What a new child run of this workflow executes; undefined if there is none. Rejects with `UnavailableError`. */
  readonly childTarget: (workflow: string, version: number | undefined) => Promise<GoOnTarget | undefined>;
  /** Whether the calls of child runs of this workflow may be named; the others are only counted. */
  readonly maySee: (workflow: string) => boolean;
}

export interface CallsInTree {
  readonly calls: readonly RepeatedCall[];
  /** Steps whose outcomes the new run and its child runs keep. */
  readonly kept: number;
  /** Steps among them whose undo failed. */
  readonly notUndone: readonly Path[];
  /** Calls of which a person said whether they happened; `calls` has those that did not. */
  readonly told: ReadonlySet<Path>;
  /** Runs whose calls are not among them: too many, or not kept any more. */
  readonly unread: number;
  /** Child runs that have not ended, and in whose place the new run would request others. */
  readonly unfinished: readonly string[];
  /** Runs that go on from the same run, and have not ended: what they will do is not known. */
  readonly underWay: readonly string[];
}

/** A run that executes something again. */
export interface NewRun extends GoOnTarget {
  /** The plan that it executes: the whole definition, or a part. */
  readonly own: Plan;
  readonly carried: CarriedOutcomes;
}

/** A child run that goes on from an earlier one, and the run that requests it. */
type GoingOn = KeptChildRun & { readonly next: NewRun };

interface ChildAgain {
  readonly step: Path;
  /** The child runs that the step has requested so far, newest first. */
  readonly ids: readonly string[];
  /** Undefined: the new child run does everything again. */
  readonly goingOn: GoingOn | undefined;
}

/** Journals that are read for one answer, and how many at once. */
const runsMax = 10_000;
const runsAtOnce = 32;

/** `past`: the run that is run again. Rejects with `ForgedJournalError` and `UnavailableError`. */
export async function callsInTree(sources: RepeatedCallSources, past: PastRun, next: NewRun): Promise<CallsInTree> {
  const walk = new TreeWalk(sources);
  const line = await walk.lineOf([past]);
  const made = await walk.callsOf(line, next, atRoot);
  const calls = [...made, ...(await walk.movedWrites(made))];
  const underWay = line.filter((run) => !isOver(run)).map(({ id }) => id);
  const kept = countKept(next.carried) + walk.kept;
  const { notUndone, told, unread, unfinished } = walk;
  return { calls: writesFirst(calls), kept, notUndone, told, unread, unfinished, underWay };
}

/** Where a run is in the tree. */
interface TreePlace {
  /** Of the paths of its calls: `all/3/run>`. */
  readonly prefix: string;
  /** The step in whose place its calls are counted, if its workflow may not be named. */
  readonly hidden: Path | undefined;
}

const atRoot: TreePlace = { prefix: '', hidden: undefined };

class TreeWalk {
  readonly #sources: RepeatedCallSources;
  /** Writes at steps that the new runs do not have. */
  readonly #withoutPlace: LastCall[] = [];
  /** By the prefix of its calls. */
  readonly #newRuns = new Map<string, NewRun & TreePlace>();
  /** Paths that may not be named, with the steps in whose place they are counted. */
  readonly #hidden = new Map<Path, Path>();
  readonly notUndone: Path[] = [];
  readonly told = new Set<Path>();
  readonly unfinished: string[] = [];
  unread = 0;
  /** Outcomes that the new child runs keep. */
  kept = 0;
  #left = runsMax;

  constructor(sources: RepeatedCallSources) {
    this.#sources = sources;
  }

  /** The runs, with those that they went on from, and all that went on from one of these; newest first. */
  async lineOf(runs: readonly (PastRun | undefined)[]): Promise<readonly PastRun[]> {
    const line = new Map<string, PastRun | undefined>();
    const left: (PastRun | string)[] = runs.filter((run) => run !== undefined);
    for (let one = left.pop(); one !== undefined; one = left.pop()) {
      const id = typeof one === 'string' ? one : one.id;
      if (line.has(id)) continue;
      const run = typeof one === 'string' ? await this.#read(one) : one;
      line.set(id, run);
      if (run === undefined) continue;
      const rerunOf = goesOnFrom(run.events);
      left.push(...(rerunOf === undefined ? [] : [rerunOf]), ...(await this.#sources.rerunsOf(id)));
    }
    const known = [...line.values()].filter((run) => run !== undefined);
    return known.toSorted((one, other) => (one.id < other.id ? 1 : -1));
  }

  async #read(runId: string): Promise<PastRun | undefined> {
    const run = this.#left-- > 0 ? await pastRun(this.#sources, runId) : undefined;
    if (run === undefined) this.unread += 1;
    return run;
  }

  /** `line`: the runs whose work the new run does again, as far as it carries nothing over from them. */
  async callsOf(
    line: readonly PastRun[],
    next: NewRun | undefined,
    place: TreePlace,
  ): Promise<readonly RepeatedCall[]> {
    const { isRepeated, lookups, lost } = next?.carried ?? nothingCarried;
    const hasPlace: HasPlace = next === undefined ? () => true : hasPlaceIn(next.own, isRepeated);
    if (next !== undefined) this.#newRuns.set(place.prefix, { ...next, ...place });
    const notUndone = next?.carried.notUndone ?? [];
    this.notUndone.push(...notUndone.map((path) => place.hidden ?? `${place.prefix}${path}`));
    const isMadeAgain = (path: Path): boolean => isRepeated(path) && hasPlace(path);
    const calls = new Map<Path, RepeatedCall>();
    for (const { events } of line) {
      for (const call of repeatedCalls(events, isMadeAgain)) {
        const newer = calls.get(call.path);
        calls.set(call.path, newer === undefined ? call : likelier(newer, call));
      }
      this.#noteWithoutPlace(writesWithoutPlace(events, hasPlace), place);
    }
    const keptChildren = new Map(next?.carried.keptChildren.map((one) => [one.kept.step, one]));
    const own = [...calls.values()].map((call) => {
      const found = withLookup(call, lookups.get(call.path));
      return lost.has(call.path) ? { ...found, mayBeTold: true as const } : found;
    });
    for (const [path, { happened }] of lookups) if (happened !== undefined) this.told.add(`${place.prefix}${path}`);
    const inChildren = await this.#eachChild(line, isMadeAgain, async (step, ids) => {
      const kept = keptChildren.get(step);
      return this.#callsOfChild(line, { step, ids, goingOn: kept && next && { ...kept, next } }, place);
    });
    await this.#eachChild(
      line,
      (path) => !hasPlace(path),
      async (step, ids) => this.#noteChildWithoutPlace(step, ids, place),
    );
    return [...own.filter(({ lookup }) => lookup?.happened !== true), ...inChildren];
  }

  /** `ids`: the child runs that the step has requested so far, newest first. */
  async #eachChild(
    line: readonly PastRun[],
    isWanted: (step: Path) => boolean,
    visit: (step: Path, ids: readonly string[]) => Promise<readonly RepeatedCall[]>,
  ): Promise<readonly RepeatedCall[]> {
    const children = new Map<Path, string[]>();
    for (const [path, runId] of line.flatMap(({ ownChildren }) => [...ownChildren]))
      if (isWanted(path)) children.set(path, [...(children.get(path) ?? []), runId]);
    const found: RepeatedCall[] = [];
    const left = [...children];
    for (let at = 0; at < left.length; at += runsAtOnce) {
      const each = left.slice(at, at + runsAtOnce).map(([step, ids]) => visit(step, ids));
      found.push(...(await Promise.all(each)).flat());
    }
    return found;
  }

  async #callsOfChild(
    parents: readonly PastRun[],
    { step, ids, goingOn }: ChildAgain,
    place: TreePlace,
  ): Promise<readonly RepeatedCall[]> {
    const line = await this.lineOf(await Promise.all(ids.map((id) => this.#read(id))));
    for (const run of line)
      if (!isOver(run) && (run.id === goingOn?.kept.runId || isAwaited(parents, step))) this.unfinished.push(run.id);
    const inside = this.#placeIn(step, line, place);
    const calls = await this.callsOf(line, goingOn && (await this.#newChild(line, goingOn)), inside);
    const mayName = inside.hidden === place.hidden;
    return calls.map((call) =>
      mayName ? { ...call, path: `${step}>${call.path}` } : { ...unnamed(call), path: step },
    );
  }

  #placeIn(step: Path, line: readonly PastRun[], { prefix, hidden }: TreePlace): TreePlace {
    const mayName = line.every(({ events }) => this.#sources.maySee(firstOf(events).workflow));
    return { prefix: `${prefix}${step}>`, hidden: mayName ? hidden : (hidden ?? `${prefix}${step}`) };
  }

  #noteWithoutPlace(writes: readonly LastCall[], { prefix, hidden }: TreePlace): void {
    for (const { call, ...rest } of writes) {
      const path = `${prefix}${call.path}`;
      this.#withoutPlace.push({ call: { ...call, path }, ...rest });
      if (hidden !== undefined) this.#hidden.set(path, hidden);
    }
  }

  /** Nothing of the child run has a place in the new run. */
  async #noteChildWithoutPlace(step: Path, ids: readonly string[], place: TreePlace): Promise<readonly RepeatedCall[]> {
    const line = await this.lineOf(await Promise.all(ids.map((id) => this.#read(id))));
    const inside = this.#placeIn(step, line, place);
    for (const { events } of line) this.#noteWithoutPlace(writesWithoutPlace(events, nowhere), inside);
    return this.#eachChild(
      line,
      () => true,
      async (path, below) => this.#noteChildWithoutPlace(path, below, inside),
    );
  }

  /** Calls of the new runs that may repeat what was written at steps that they do not have. */
  async movedWrites(made: readonly RepeatedCall[]): Promise<readonly RepeatedCall[]> {
    if (this.#withoutPlace.length === 0) return [];
    const open: OpenCall[] = [];
    for (const next of this.#newRuns.values()) open.push(...(await this.#openCallsOf(next, [])));
    const old = new Set(made.map(({ path }) => path));
    return movedWrites(this.#withoutPlace, open, (path) => old.has(path)).map((call) => this.#asMayBeNamed(call));
  }

  #asMayBeNamed(call: RepeatedCall): RepeatedCall {
    const [path, formerly] = [call.path, call.formerly ?? call.path];
    const [hiddenPath, hiddenFormerly] = [this.#hidden.get(path), this.#hidden.get(formerly)];
    if (hiddenPath === undefined && hiddenFormerly === undefined) return call;
    return { ...unnamed(call), path: hiddenPath ?? path, formerly: hiddenFormerly ?? formerly };
  }

  /** `around`: workflows that request each other, down to this run. */
  async #openCallsOf(
    { own, carried, prefix, hidden }: NewRun & TreePlace,
    around: readonly string[],
  ): Promise<OpenCall[]> {
    const { calls, children } = openSteps(own, carried.isRepeated);
    const known = new Set(carried.nextCalls.map(({ path }) => path));
    const all = [...carried.nextCalls, ...calls.filter(({ path }) => !known.has(path))];
    const found = all.map((call) => ({ ...call, path: `${prefix}${call.path}` }));
    if (hidden !== undefined) for (const { path } of found) this.#hidden.set(path, hidden);
    for (const { path, workflow, version } of children) {
      const inside = `${prefix}${path}>`;
      if (this.#newRuns.has(inside) || around.includes(workflow)) continue;
      const target = await this.#sources.childTarget(workflow, version);
      if (target === undefined) continue;
      const mayName = hidden === undefined && this.#sources.maySee(workflow);
      const place = { prefix: inside, hidden: mayName ? undefined : (hidden ?? `${prefix}${path}`) };
      const child = { ...target, own: target.plan, carried: nothingCarried, ...place };
      found.push(...(await this.#openCallsOf(child, [...around, workflow])));
    }
    return found;
  }

  /** The child run of the new run; undefined if it does everything again, or nothing else is known. */
  async #newChild(line: readonly PastRun[], { kept, part, next }: GoingOn): Promise<NewRun | undefined> {
    const old = line.find(({ id }) => id === kept.runId);
    if (old === undefined) return undefined;
    const { part: before, definition } = firstOf(old.events);
    // What an item of another version executes is known where the versions were compared. Elsewhere more is named than
    // is made again.
    if (before !== undefined && part === undefined && definition !== next.definition) return undefined;
    const ofItem = { definition: next.definition, plan: next.plan, part };
    const target = before === undefined ? await this.#target(next.own, kept.step) : ofItem;
    // Without its workflow, or with inputs that do not fit, the new child run is refused.
    if (target === undefined) return doesNothing(next);
    try {
      const { carried, plan } = await goOn(this.#sources, old, target, {
        at: 0,
        asksAgain: kept.asksAgain,
        told: kept.told,
      });
      this.kept += countKept(carried);
      return { ...target, own: plan, carried };
    } catch (error) {
      if (error instanceof FailureError && error.code === 'invalid-inputs') return doesNothing(next);
      throw error;
    }
  }

  async #target(plan: Plan, path: Path): Promise<GoOnTarget | undefined> {
    const step = findStep(plan, path);
    return step?.verb === 'workflow' ? this.#sources.childTarget(step.workflow, step.version) : undefined;
  }
}

const nowhere: HasPlace = () => false;

const withLookup = (call: RepeatedCall, lookup: Lookup | undefined): RepeatedCall =>
  lookup === undefined ? call : { ...call, lookup };

/** Without what would name a server. */
function unnamed({ lookup, mayBeTold: _unnamed, ...call }: RepeatedCall): RepeatedCall {
  return withLookup(
    { ...call, target: undefined },
    lookup && { by: lookup.by, ...defined({ happened: lookup.happened }) },
  );
}

const countKept = ({ events }: CarriedOutcomes): number =>
  events.filter((event) => 'kept' in event && event.type !== 'step.unknown').length;

const isOver = ({ events }: PastRun): boolean => events.at(-1)?.type === 'run.finished';

const doesNothing = (next: NewRun): NewRun => ({ ...next, carried: { ...nothingCarried, isRepeated: () => false } });

/** Whether one of the runs requested the child run itself, and waited for its end. */
const isAwaited = (parents: readonly PastRun[], path: Path): boolean =>
  parents.some(({ events }) =>
    events.some(
      (event) =>
        event.type === 'step.waiting' &&
        event.path === path &&
        event.awaiting.for === 'child' &&
        event.awaiting.detached !== true,
    ),
  );
