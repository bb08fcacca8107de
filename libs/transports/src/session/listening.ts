/**
 * `subscriptions/listen` (MCP 2026-07-28): a stream of changes. The server may end it at any time; then it is opened
 * again.
 */
import { setTimeout as sleep } from 'node:timers/promises';

import { FailureError } from '@baton/engine';
import { type JsonObject, backoffMs } from '@baton/primitives';

import type { RequestChannel } from './requestChannel.ts';

export interface ResourceListening {
  readonly signal: AbortSignal;
  readonly random: () => number;
  /** The stream is open. `isAgain`: changes since the last stream were missed. */
  readonly onOpen: (isAgain: boolean) => void;
}

/** Between two tries to listen. */
export const listenPauses = { firstMs: 500, longestMs: 30_000 };

const acknowledgeMs = 15_000;

/** Resolves only when the signal is aborted. Rejects with `FailureError` if the server refuses to listen. */
export async function keepListening(
  channel: RequestChannel,
  filter: JsonObject,
  { signal, random, onOpen }: ResourceListening,
): Promise<void> {
  let isAgain = false;
  for (let failures = 0; !signal.aborted; failures++) {
    const onAcknowledged = (): void => {
      onOpen(isAgain);
      isAgain = true;
      failures = 0;
    };
    try {
      await listenOnce(channel, filter, signal, onAcknowledged);
    } catch (error) {
      if (!(error instanceof FailureError)) throw error;
      if (error.delivery === 'rejected' || error.delivery === 'answered') throw error;
    }
    await sleep(backoffMs(failures + 1, { ...listenPauses, random }), undefined, { signal, ref: false }).catch(
      () => {},
    );
  }
}

/** Resolves when the server ends the stream. Rejects with `FailureError`. */
async function listenOnce(
  channel: RequestChannel,
  filter: JsonObject,
  signal: AbortSignal,
  onAcknowledged: () => void,
): Promise<void> {
  const ask = { method: 'subscriptions/listen', params: { notifications: filter }, signal };
  // Until the server agrees the request has a limit; from then on it is open as long as the server likes.
  await channel.request({
    ...ask,
    idleMs: acknowledgeMs,
    deadline: performance.now() + acknowledgeMs,
    onAcknowledged,
  });
}
