/** Whether the server is reachable: the streams report it, the banner shows it. */
import { SharedValue, useShared } from './sharedValue.ts';

/** When the connection was lost, epoch milliseconds; undefined while connected. */
const cutSince = new SharedValue<number | undefined>(undefined);

export const reportOpen = (): void => cutSince.set(undefined);

export const reportCut = (): void => cutSince.set(cutSince.get() ?? Date.now());

export const useCutSince = (): number | undefined => useShared(cutSince);
