/**
 * Refuses runs of a definition if a tool changed since the check, the server's policy is to block, and no proof lets the
 * workflow go on (`repinner.ts`). It judges by cached lists. Under load it judges beside the start of runs; a start waits briefly where no judgement is fresh.
 *
 * The worker checks again when it begins a run (`apps/worker/src/admission.ts`), because tools change while runs wait,
 * and its servers may differ from those of this process. The check here tells the client at once, and creates no run.
 * Both use `checkPins`; their caches differ on purpose.
 */
import { ProblemError } from '@baton/api';
import { NewestMap, within } from '@baton/primitives';
import { type ServersConfig, driftText } from '@baton/protocol';
import { type Clock, type TaskTrouble, UnavailableError } from '@baton/runner';
import { type Store, getDefinition } from '@baton/store';
import { type Servers, checkPins } from '@baton/transports';

import type { ProofAnswer } from './repinner.ts';

export interface DriftGuardOptions {
  readonly store: Store;
  readonly config: ServersConfig;
  readonly servers: Pick<Servers, 'catalogue'>;
  readonly clock: Clock;
  /** Called with sentences about changed tools that do not block the run. */
  readonly onDrift: (changes: readonly string[]) => void;
  readonly onTrouble: TaskTrouble;
  /** As `Repinner.prove`. Absent: what has changed blocks until a person approves it. */
  readonly prove?: (definition: string) => Promise<ProofAnswer>;
}

/** Thrown in place of a start. */
export class ToolsChanged extends ProblemError {
  /** The digest of the definition that may not start. */
  readonly definition: string;

  constructor(definition: string, blocking: readonly string[], { isPinnedAnew, why }: ProofAnswer) {
    const message = isPinnedAnew
      ? 'Tools have changed since this version was checked. A newer version is pinned to them as they are now: start that.'
      : 'Tools have changed since this version was checked. Deploy it again, or approve the server.';
    super('conflict', [message, ...blocking, ...why].join(' '), {
      errors: [...blocking, ...why].map((change) => ({ code: 'tool-changed', message: change })),
    });
    this.definition = definition;
  }
}

interface DriftJudgement {
  readonly definition: string;
  /** Sentences about what blocks the run; empty if the run may start. */
  blocking: readonly string[];
  /** The last proof, and what it was about. */
  proof: { readonly about: string; readonly answer: ProofAnswer; readonly until: number } | undefined;
  warnings: readonly string[];
  /** By the monotonic clock, milliseconds: a start after it begins another judgement, and does not wait for it. */
  renewAt: number;
  /** A start after it waits for the judgement that is under way. */
  freshUntil: number;
  /** Settles once a judgement is made, or later than anyone waits for it. */
  underWay: Promise<void> | undefined;
}

/** How old a judgement may be: a start at any time notices what the list of tools said this long before. */
const freshMs = 5_000;
/** Under steady load no start waits: the next judgement is made before this one is too old. */
const renewMs = 2_500;
const patienceMs = 1_000;
/** How long a start waits for a proof, which a workflow needs once for each change. */
const proofPatienceMs = 10_000;
/** How long the same change is not proved again. */
const failedMs = 600_000;
const keptMax = 1_000;

export class DriftGuard {
  readonly #options: DriftGuardOptions;
  readonly #judged = new NewestMap<string, DriftJudgement>(keptMax);

  constructor(options: DriftGuardOptions) {
    this.#options = options;
  }

  /** Throws or rejects with `ProblemError` if runs of the definition may not start. */
  check(definition: string): Promise<void> | undefined {
    const now = this.#options.clock.monotonic();
    const judged = this.#judged.get(definition) ?? this.#begin(definition);
    if (judged.underWay === undefined && now >= judged.renewAt)
      judged.underWay = this.#inTime(definition, this.#judgeAgain(definition, judged), judged);
    const isBlocked = judged.blocking.length > 0;
    if ((isBlocked || now >= judged.freshUntil) && judged.underWay !== undefined)
      return judged.underWay.then(() => throwIfBlocked(judged));
    throwIfBlocked(judged);
    return undefined;
  }

  #begin(definition: string): DriftJudgement {
    const judged: DriftJudgement = {
      definition,
      blocking: [],
      proof: undefined,
      warnings: [],
      renewAt: 0,
      freshUntil: 0,
      underWay: undefined,
    };
    judged.underWay = this.#inTime(definition, this.#judge(definition, judged), judged);
    this.#judged.set(definition, judged);
    return judged;
  }

  /** The judgement before holds for a while where a server takes longer than a start may wait. */
  async #inTime(definition: string, judgement: Promise<void>, judged: DriftJudgement): Promise<void> {
    const { clock } = this.#options;
    try {
      await within(judgement, patienceMs, { clock, onLate: () => (judged.freshUntil = clock.monotonic() + freshMs) });
      const proving = this.#prove(definition, judged);
      if (proving !== undefined) await within(proving, proofPatienceMs, { clock, onLate: () => undefined });
    } finally {
      judged.underWay = undefined;
    }
  }

  /** A change is proved once, and again after a while: undefined where there is nothing to prove. */
  #prove(definition: string, judged: DriftJudgement): Promise<void> | undefined {
    const { prove, clock, onTrouble } = this.#options;
    const about = judged.blocking.join('\n');
    const isKnown = judged.proof?.about === about && clock.monotonic() < judged.proof.until;
    if (prove === undefined || about === '' || isKnown) return undefined;
    return prove(definition).then(
      (answer) => {
        judged.proof = { about, answer, until: clock.monotonic() + failedMs };
      },
      (error: Error) => onTrouble(error, `the proof that ${definition} can go on with changed tools`),
    );
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
    judged.renewAt = Number.POSITIVE_INFINITY;
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
      const now = clock.monotonic();
      [judged.renewAt, judged.freshUntil] = [now + renewMs, now + freshMs];
    }
  }
}

const noProof: ProofAnswer = { isPinnedAnew: false, why: [] };

function throwIfBlocked({ definition, blocking, proof }: DriftJudgement): void {
  if (blocking.length === 0) return;
  const isAboutThem = proof?.about === blocking.join('\n');
  throw new ToolsChanged(definition, blocking, isAboutThem ? proof.answer : noProof);
}
