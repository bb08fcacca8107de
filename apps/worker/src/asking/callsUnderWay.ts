/** The calls in flight on this worker, and what servers have spent for them on our models. */
import type { Usage } from '@baton/engine';
import type { CallContext, CallResult, Calls } from '@baton/runner';

type UsageSum = Required<Omit<Usage, 'estimated'>> & Pick<Usage, 'estimated'>;

const none: UsageSum = { inputTokens: 0, outputTokens: 0, usd: 0 };

const plus = (
  a: UsageSum,
  { inputTokens = 0, outputTokens = 0, usd = 0, estimated = a.estimated }: Usage,
): UsageSum => ({
  inputTokens: a.inputTokens + inputTokens,
  outputTokens: a.outputTokens + outputTokens,
  usd: a.usd + usd,
  ...(estimated === undefined ? {} : { estimated }),
});

/** One attempt of a step. */
export class CallUnderWay {
  readonly server: string;
  readonly runId: string;
  readonly path: string;
  readonly attempt: number;
  /** How often its server has asked a model so far. */
  samples = 0;
  usage: UsageSum | undefined;
  /** Made when it is asked for: most calls are asked nothing. */
  #ending: AbortController | undefined;
  #isOver = false;

  constructor(server: string, { runId, attemptKey }: CallContext) {
    this.server = server;
    this.runId = runId;
    const from = runId.length + 1;
    const to = attemptKey.lastIndexOf('#');
    this.path = attemptKey.slice(from, to);
    this.attempt = Number(attemptKey.slice(to + 1));
  }

  /** Aborted when the call is over. */
  get ended(): AbortSignal {
    this.#ending ??= new AbortController();
    if (this.#isOver) this.#ending.abort();
    return this.#ending.signal;
  }

  spend(usage: Usage): void {
    this.usage = plus(this.usage ?? none, usage);
  }

  end(): void {
    this.#isOver = true;
    this.#ending?.abort();
  }
}

export class CallsUnderWay {
  readonly #calls = new Set<CallUnderWay>();
  /** By run: the cost of failed calls, which no journal records. */
  readonly #lost = new Map<string, UsageSum>();
  /** By run: the end of the line. */
  readonly #turns = new Map<string, Promise<void>>();

  /** Oldest first. */
  of(server: string, runId: string): readonly CallUnderWay[] {
    return [...this.#calls].filter((call) => call.server === server && call.runId === runId);
  }

  /** What was spent for a run and is not in its journal, as far as this worker knows. */
  unrecorded(runId: string): UsageSum {
    const own = [...this.#calls].filter((call) => call.runId === runId);
    return own.reduce((sum, { usage = none }) => plus(sum, usage), this.#lost.get(runId) ?? none);
  }

  /** One after the other within a run: each sees what the previous one spent. */
  async inTurn<T>(runId: string, work: () => Promise<T>): Promise<T> {
    const mine = (this.#turns.get(runId) ?? Promise.resolve()).then(work);
    const over = mine.then(
      () => {},
      () => {},
    );
    this.#turns.set(runId, over);
    try {
      return await mine;
    } finally {
      if (this.#turns.get(runId) === over) this.#turns.delete(runId);
    }
  }

  /** The same calls, noted while they are made; what was spent for them comes with their results. */
  around(calls: Calls): Calls {
    return {
      callTool: (call, context) => this.#note(call.server, context, () => calls.callTool(call, context)),
      getPrompt: (call, context) => this.#note(call.server, context, () => calls.getPrompt(call, context)),
      readResource: (call, context) => this.#note(call.server, context, () => calls.readResource(call, context)),
      release: (runId) => {
        this.#lost.delete(runId);
        calls.release(runId);
      },
    };
  }

  async #note(server: string, context: CallContext, make: () => Promise<CallResult>): Promise<CallResult> {
    const call = new CallUnderWay(server, context);
    this.#calls.add(call);
    try {
      const result = await make();
      return call.usage === undefined ? result : { ...result, usage: call.usage };
    } catch (error) {
      if (call.usage !== undefined) this.#lost.set(call.runId, plus(this.#lost.get(call.runId) ?? none, call.usage));
      throw error;
    } finally {
      this.#calls.delete(call);
      call.end();
    }
  }
}
