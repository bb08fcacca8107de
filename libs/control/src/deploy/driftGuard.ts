/**
 * Refuses runs of a definition if a tool changed since the check and the server's policy is to block. It judges by
 * cached lists, refreshes them beside the start of runs, and waits briefly only for a definition that it has never
 * judged.
 *
 * The worker checks again when it begins a run (`apps/worker/src/admission.ts`), because tools change while runs wait,
 * and its servers may differ from those of this process. The check here tells the client at once, and creates no run.
 * Both use `checkPins`; their caches differ on purpose.
 */
import { ProblemError } from '@baton/api';
import { NewestMap, unawaited, within } from '@baton/primitives';
import { type ServersConfig, driftText } from '@baton/protocol';
import { type Clock, type TaskTrouble, UnavailableError } from '@baton/runner';
import { type Store, getDefinition } from '@baton/store';
import { type Servers, checkPins } from '@baton/transports';

export interface DriftGuardOptions {
  readonly store: Store;
  readonly config: ServersConfig;
  readonly servers: Pick<Servers, 'catalogue'>;
  readonly clock: Clock;
  /** Called with sentences about changed tools that do not block the run. */
  readonly onDrift: (changes: readonly string[]) => void;
  readonly onTrouble: TaskTrouble;
}

interface DriftJudgement {
  /** Sentences about what blocks the run; empty if the run may start. */
  blocking: readonly string[];
  warnings: readonly string[];
  /** By the monotonic clock, milliseconds. */
  freshUntil: number;
  /** The first check against the servers, while in progress. */
  first: Promise<void> | undefined;
}

/** How old a judgement may be: changes are noticed within this time. */
const freshMs = 5_000;
const patienceMs = 1_000;
const keptMax = 1_000;

export class DriftGuard {
  readonly #options: DriftGuardOptions;
  readonly #judged = new NewestMap<string, DriftJudgement>(keptMax);

  constructor(options: DriftGuardOptions) {
    this.#options = options;
  }

  /** Throws or rejects with `ProblemError` if runs of the definition may not start. */
  check(definition: string): Promise<void> | undefined {
    const { clock } = this.#options;
    const judged = this.#judged.get(definition) ?? this.#begin(definition);
    if (judged.first !== undefined) return judged.first.then(() => throwIfBlocked(judged));
    if (clock.monotonic() >= judged.freshUntil) unawaited(this.#judgeAgain(definition, judged));
    throwIfBlocked(judged);
    return undefined;
  }

  #begin(definition: string): DriftJudgement {
    const judged: DriftJudgement = { blocking: [], warnings: [], freshUntil: 0, first: undefined };
    const { clock } = this.#options;
    judged.first = within(this.#judge(definition, judged), patienceMs, { clock, onLate: () => {} }).finally(() => {
      judged.first = undefined;
    });
    this.#judged.set(definition, judged);
    return judged;
  }

  /** The last judgement holds where there is no new one: what reads the definition for the run says what is wrong. */
  async #judgeAgain(definition: string, judged: DriftJudgement): Promise<void> {
    await this.#judge(definition, judged).catch((error: Error) =>
      this.#options.onTrouble(error, `the check of the tools of ${definition}`),
    );
  }

  /** An unknown state of a server blocks no run. Rejects with `FailureError` where the definition was changed. */
  async #judge(definition: string, judged: DriftJudgement): Promise<void> {
    const { store, config, servers, clock, onDrift } = this.#options;
    // Other callers use this answer meanwhile.
    judged.freshUntil = Number.POSITIVE_INFINITY;
    try {
      const { pins = {} } = (await getDefinition(store, definition)) ?? {};
      const { blocking, warnings } = await checkPins(pins, servers, config);
      const told = warnings.map(driftText);
      if (told.length > 0 && told.join() !== judged.warnings.join()) onDrift(told);
      judged.warnings = told;
      judged.blocking = blocking.map(driftText);
    } catch (error) {
      if (!(error instanceof UnavailableError)) throw error;
    } finally {
      judged.freshUntil = clock.monotonic() + freshMs;
    }
  }
}

function throwIfBlocked({ blocking }: DriftJudgement): void {
  if (blocking.length === 0) return;
  const message = 'Tools have changed since this version was checked. Deploy it again, or approve the server.';
  throw new ProblemError('conflict', `${message} ${blocking.join(' ')}`, {
    errors: blocking.map((change) => ({ code: 'tool-changed', message: change })),
  });
}
