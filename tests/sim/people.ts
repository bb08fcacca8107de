/**
 * Those outside who answer questions, send signals and cancel. They look before they say whether a call has happened.
 */
import { type Run, type StepState, isEnded } from '@baton/engine';
import type { Json } from '@baton/primitives';
import { UnavailableError } from '@baton/runner';

import type { Ledger } from './ledger.ts';
import type { Orchestrator } from './orchestrator.ts';
import type { Random } from './random.ts';
import type { Referee } from './referee.ts';
import type { World } from './world.ts';

const lookMs = 2_500;

export class People {
  /** They answer every question, and not only some. */
  areDiligent = false;
  readonly #world: World;
  readonly #random: Random;
  readonly #referee: Referee;
  readonly #ledger: Ledger;
  readonly #via: () => Orchestrator | undefined;
  readonly #toCancel = new Set<string>();

  constructor(world: World, referee: Referee, ledger: Ledger, via: () => Orchestrator | undefined) {
    this.#world = world;
    this.#random = world.random.stream('people');
    this.#referee = referee;
    this.#ledger = ledger;
    this.#via = via;
    this.#schedule();
  }

  /** Asks until it is so. */
  cancel(runId: string): void {
    this.#toCancel.add(runId);
  }

  #schedule(): void {
    this.#world.after(lookMs, () => {
      this.#look();
      this.#schedule();
    });
  }

  #look(): void {
    for (const runId of this.#toCancel) {
      const run = this.#referee.runOf(runId);
      if (run !== undefined && (isEnded(run) || run.cancel !== undefined)) this.#toCancel.delete(runId);
      else this.#say((orchestrator) => orchestrator.cancel(runId));
    }
    for (const runId of this.#referee.records.keys()) {
      const run = this.#referee.runOf(runId);
      if (run === undefined || isEnded(run)) continue;
      for (const [path, state] of waitingSteps(run)) this.#attendTo(run, path, state);
    }
  }

  #attendTo({ id }: Run, path: string, { verb, awaiting }: Extract<StepState, { status: 'waiting' }>): void {
    if (!this.areDiligent && !this.#random.chance(0.4)) return;
    if (awaiting.for === 'signal') this.#say((orchestrator) => orchestrator.signal(id, awaiting.name));
    if (awaiting.for !== 'answer') return;
    const answer: Json = verb === 'tool' ? { happened: this.#hasHappened(id, path) } : { yes: true };
    this.#say((orchestrator) => orchestrator.answer(id, path, answer));
  }

  /** Whether the call with the unknown outcome is in the ledger of the servers. */
  #hasHappened(runId: string, path: string): boolean {
    return this.#ledger.entries.some(({ attemptKey }) => attemptKey.startsWith(`${runId}/${path}#`));
  }

  #say(what: (orchestrator: Orchestrator) => Promise<unknown>): void {
    const orchestrator = this.#via();
    if (orchestrator === undefined) return;
    this.#world.touch();
    what(orchestrator).catch((error: unknown) => {
      if (!(error instanceof UnavailableError)) this.#world.fail(error);
    });
  }
}

type WaitingStep = [string, Extract<StepState, { status: 'waiting' }>];

function waitingSteps(run: Run): WaitingStep[] {
  return [...run.frames].flatMap(([root, frame]) => within(frame, root === '@main' ? '' : `${root}/`));
}

function within(frame: { readonly steps: ReadonlyMap<string, StepState> }, prefix: string): WaitingStep[] {
  return [...frame.steps].flatMap(([key, state]): WaitingStep[] => {
    const path = prefix + key;
    if (state.status === 'waiting') return state.arrived === undefined ? [[path, state]] : [];
    return [...state.frames].flatMap(([name, inner]) => within(inner, `${path}/${name}/`));
  });
}
