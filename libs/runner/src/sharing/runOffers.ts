/**
 * Offers of new runs to crowded workers. A bell rings behind those of all runs that wait already; a crowded worker
 * therefore says which callers have their share of its slots, and orchestrators offer it runs of other callers. Messages
 * may be lost: the workers' poll finds these runs, too, later.
 */
import type { Channels } from '../ports/channels.ts';
import { textsIn } from './channelTexts.ts';

/** A worker without a free slot for bells. */
export interface CrowdedWorker {
  readonly worker: string;
  /** The callers who have their share of its slots; some, if they are very many. */
  readonly callers: readonly string[];
}

/** A run that a crowded worker may have a slot for. */
export interface Offer {
  readonly worker: string;
  readonly runId: string;
}

/** Maximum size of the callers in one message: a channel takes 4,000 bytes. */
const callersBytes = 3_500;

export class RunOffers {
  readonly #channels: Channels;

  constructor(channels: Channels) {
    this.#channels = channels;
  }

  sayCrowded({ worker, callers }: CrowdedWorker): void {
    const sent: string[] = [];
    let bytes = 0;
    for (const caller of callers) {
      bytes += Buffer.byteLength(JSON.stringify(caller)) + 1;
      if (bytes <= callersBytes) sent.push(caller);
    }
    this.#channels.send('crowded', JSON.stringify([worker, ...sent]));
  }

  onCrowded(listener: (crowded: CrowdedWorker) => void): () => void {
    return this.#channels.listen('crowded', (text) => {
      const [worker, ...callers] = textsIn(text);
      if (worker !== undefined) listener({ worker, callers });
    });
  }

  offer({ worker, runId }: Offer): void {
    this.#channels.send('offers', JSON.stringify([worker, runId]));
  }

  /** Calls `listener` with the ids of the runs that are offered to `worker`. */
  onOffer(worker: string, listener: (runId: string) => void): () => void {
    return this.#channels.listen('offers', (text) => {
      const [to, runId] = textsIn(text);
      if (to === worker && runId !== undefined) listener(runId);
    });
  }
}
