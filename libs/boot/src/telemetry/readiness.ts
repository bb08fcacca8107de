/**
 * Checks whether Postgres, the queue and the clock are usable. It checks at most once a second, for any number of
 * requests.
 */
import { within } from '@baton/primitives';

export interface PartState {
  /** `off`: a clock that is wrong, a Postgres that went back in time, or a retention that removes nothing though it should. */
  readonly status: 'ok' | 'away' | 'off';
  readonly message?: string;
}

export interface ReadyReport {
  /** `fenced`: the database went back in time, and nothing is begun. */
  readonly status: 'ok' | 'degraded' | 'fenced' | 'down';
  readonly parts: {
    readonly postgres: PartState;
    readonly queue: PartState;
    readonly clock: PartState;
    readonly history: PartState;
    readonly retention?: PartState;
    readonly rates?: PartState;
    readonly worker?: PartState;
  };
}

/** What a role of the process adds. */
interface RolePart {
  readonly state: () => PartState;
  /** Without it the process can do nothing. */
  readonly isVital: boolean;
}

export interface ReadinessOptions {
  /** A sentence if nothing can be written to Postgres; it has no hosts and users. Rejects if Postgres does not answer. */
  readonly writeFault: () => Promise<string | undefined>;
  readonly queue: {
    doctor(): Promise<{
      readonly isReachable: boolean;
      /** It is there, and does not accept the user or the password. */
      readonly isRefused?: boolean;
      /** The first word of the error with which it answers. */
      readonly reply?: string;
      readonly kind: string;
      readonly findings: readonly { readonly message: string; readonly hint: string }[];
    }>;
  };
  /** Milliseconds; the function that `after` returns cancels the call. */
  readonly clock: {
    monotonic(): number;
    after(ms: number, call: () => void): () => void;
    /** A sentence, if the clock is wrong. */
    warning(): string | undefined;
  };
  /** A sentence, if Postgres went back in time and no person has lifted the fence. */
  readonly history: { warning(): string | undefined };
}

const freshMs = 1_000;
const patienceMs = 2_000;

export const offState = (message: string | undefined): PartState =>
  message === undefined ? { status: 'ok' } : { status: 'off', message };

const isWrong = ({ status }: PartState): boolean => status !== 'ok';

const away = (message: string): PartState => ({ status: 'away', message });

export class Readiness {
  readonly #options: ReadinessOptions;
  readonly #ofRoles = new Map<'retention' | 'rates' | 'worker', RolePart>();
  #last: { readonly at: number; readonly ready: Promise<ReadyReport> } | undefined;

  constructor(options: ReadinessOptions) {
    this.#options = options;
  }

  /** From now on the report has this part. */
  add(name: 'retention' | 'rates' | 'worker', part: RolePart): void {
    this.#ofRoles.set(name, part);
    this.#last = undefined;
  }

  ask(): Promise<ReadyReport> {
    const now = this.#options.clock.monotonic();
    if (this.#last === undefined || now - this.#last.at > freshMs) this.#last = { at: now, ready: this.#look() };
    return this.#last.ready;
  }

  async #look(): Promise<ReadyReport> {
    const [postgres, queue] = await Promise.all([this.#postgres(), this.#queue()]);
    const clock = offState(this.#options.clock.warning());
    const history = offState(this.#options.history.warning());
    const ofRoles = [...this.#ofRoles].map(([name, { state, isVital }]) => ({ name, isVital, part: state() }));
    const isDegraded = [queue, clock, history, ...ofRoles.map(({ part }) => part)].some(isWrong);
    const isDown = ofRoles.some(({ isVital, part }) => isVital && isWrong(part));
    const able = isDegraded ? 'degraded' : 'ok';
    const going = isDown ? 'down' : able;
    const working = history.status === 'ok' ? going : 'fenced';
    const status = postgres.status === 'away' ? 'down' : working;
    const parts = Object.fromEntries(ofRoles.map(({ name, part }) => [name, part]));
    return { status, parts: { postgres, queue, clock, history, ...parts } };
  }

  async #postgres(): Promise<PartState> {
    const { clock } = this.#options;
    const answered = this.#options.writeFault().then(
      (fault): PartState => (fault === undefined ? { status: 'ok' } : away(fault)),
      // The driver's message may contain hosts and users, so it goes only to the log.
      () => away('Postgres cannot be reached.'),
    );
    return within(answered, patienceMs, { clock, onLate: () => away('Postgres does not answer.') });
  }

  async #queue(): Promise<PartState> {
    const { isReachable, isRefused, reply, kind, findings } = await this.#options.queue.doctor();
    const [finding] = findings;
    if (isReachable) {
      if (finding === undefined) return { status: 'ok' };
      return { status: 'ok', message: `${finding.message} What to do: ${finding.hint}.` };
    }
    const where = kind === 'redis' ? 'Redis' : 'The queue in Postgres';
    const answer = reply === undefined ? 'cannot be reached' : `answers with the error ${reply}`;
    const fault = isRefused === true ? 'refuses the user or the password in REDIS_URL' : answer;
    return away(`${where} ${fault}; workers look into Postgres every few seconds instead.`);
  }
}
