/** The calls in flight on this worker, and the cost of the models that servers asked during them. */
import type { Usage } from '@baton/engine';
import type { CallContext, CallResult, Calls } from '@baton/runner';

type UsageSum = Required<Omit<Usage, 'estimated' | 'model'>> & Pick<Usage, 'estimated' | 'model'>;

const none: UsageSum = { inputTokens: 0, outputTokens: 0, usd: 0 };

const plus = (
  a: UsageSum,
  { inputTokens = 0, outputTokens = 0, usd = 0, estimated = a.estimated, model = a.model }: Usage,
): UsageSum => ({
  inputTokens: a.inputTokens + inputTokens,
  outputTokens: a.outputTokens + outputTokens,
  usd: a.usd + usd,
  ...(estimated === undefined ? {} : { estimated }),
  ...(model === undefined ? {} : { model: a.model === undefined || a.model === model ? model : 'several' }),
});

/** A call in flight: one attempt of a step. */
export class CallUnderWay {
  readonly server: string;
  readonly runId: string;
  readonly path: string;
  readonly attempt: number;
  /** How often its server has asked a model so far. */
  samples = 0;
  usage: UsageSum | undefined;
  /** Created at first use: during most calls the server asks nothing. */
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
  /** By run: resolves when the last piece of queued work has ended. */
  readonly #turns = new Map<string, Promise<void>>();

  /** The calls of a run to a server, oldest first. */
  of(server: string, runId: string): readonly CallUnderWay[] {
    return [...this.#calls].filter((call) => call.server === server && call.runId === runId);
  }

  /** The cost for a run that is not in its journal yet, as far as this worker knows. */
  unrecorded(runId: string): UsageSum {
    const own = [...this.#calls].filter((call) => call.runId === runId);
    return own.reduce((sum, { usage = none }) => plus(sum, usage), this.#lost.get(runId) ?? none);
  }

  /** Runs the work of one run in sequence, so that each piece sees what the previous one spent. */
  async inSequence<T>(runId: string, work: () => Promise<T>): Promise<T> {
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

  /** Wraps `calls` to register each call while it is in flight, and to add the models' cost to its result. */
  tracking(calls: Calls): Calls {
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
