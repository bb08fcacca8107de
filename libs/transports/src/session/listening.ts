/**
 * `subscriptions/listen` (MCP 2026-07-28): a stream of changes. The server may end it at any time; then it is opened
 * again.
 */
import { setTimeout as sleep } from 'node:timers/promises';

import { ProtocolError } from '@modelcontextprotocol/client';
import type { Client } from '@modelcontextprotocol/client';

import { rpcFailure } from '../failure/rpcFailure.ts';
import { backoffMs } from '../server/backoff.ts';

type Filter = Parameters<Client['listen']>[0];

export interface ResourceListening {
  readonly signal: AbortSignal;
  readonly random: () => number;
  /** The stream is open. `isAgain`: changes since the last stream were missed. */
  readonly onOpen: (isAgain: boolean) => void;
}

const acknowledgeMs = 15_000;

/** Resolves only when the signal is aborted. Rejects with `FailureError` if the server refuses to listen. */
export async function keepListening(client: Client, filter: Filter, listening: ResourceListening): Promise<void> {
  const { signal, random, onOpen } = listening;
  let isAgain = false;
  for (let failures = 0; !signal.aborted; failures++) {
    try {
      const stream = await client.listen(filter, { signal, timeout: acknowledgeMs });
      onOpen(isAgain);
      isAgain = true;
      failures = 0;
      await stream.closed;
    } catch (error) {
      if (error instanceof ProtocolError) throw rpcFailure(error, 'subscriptions/listen');
    }
    await sleep(backoffMs(failures, random), undefined, { signal, ref: false }).catch(() => {});
  }
}
