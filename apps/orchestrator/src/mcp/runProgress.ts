/** The progress of a run for MCP clients: the number of ended steps. */
import type { RunEvent } from '@baton/engine';
import type { Plan } from '@baton/language';
import type { ServerContext } from '@modelcontextprotocol/server';

const ends: ReadonlySet<RunEvent['type']> = new Set([
  'step.succeeded',
  'step.failed',
  'step.skipped',
  'step.cancelled',
]);

export class RunProgress {
  readonly #keys: ReadonlySet<string>;
  readonly #over = new Set<string>();
  #since = 0;

  constructor({ steps }: Pick<Plan, 'steps'>) {
    this.#keys = new Set(steps.steps.map(({ key }) => key));
  }

  get total(): number {
    return this.#keys.size;
  }

  /** Grows with every event, as MCP requires; between two steps by less than one. */
  take(events: readonly RunEvent[]): number {
    for (const event of events) {
      this.#since += 1;
      if (!('path' in event) || !ends.has(event.type) || !this.#keys.has(event.path) || this.#over.has(event.path))
        continue;
      this.#over.add(event.path);
      this.#since = 0;
    }
    return this.#over.size + (this.#over.size < this.total ? 1 - 1 / (1 + this.#since) : 0);
  }
}

/** Sends progress if the client wants it. A failure to send does not stop the call. */
export function sendProgress(
  { mcpReq }: ServerContext,
  progress: { readonly progress: number; readonly total?: number; readonly message?: string },
): void {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return;
  const params = { progressToken, ...progress };
  void mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined);
}
