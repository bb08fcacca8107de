/** Whether the server can be reached: said by the streams, shown by the banner. */
import { useSyncExternalStore } from 'react';

let cutSince: number | undefined;
const listeners = new Set<() => void>();

export function reportOpen(): void {
  if (cutSince === undefined) return;
  cutSince = undefined;
  for (const listener of listeners) listener();
}

export function reportCut(): void {
  if (cutSince !== undefined) return;
  cutSince = Date.now();
  for (const listener of listeners) listener();
}

/** Epoch milliseconds; undefined: it is connected. */
export const useCutSince = (): number | undefined =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    () => cutSince,
  );
