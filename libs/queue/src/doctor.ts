import type { QueueTrouble } from './trouble.ts';

/** A problem of the queue's server that an operator should fix. */
export interface Finding {
  readonly code: 'eviction';
  readonly severity: 'error';
  readonly message: string;
  readonly hint: string;
}

export interface QueueReport {
  readonly kind: 'redis' | 'postgres';
  readonly isReachable: boolean;
  /** Why it is not, in the server's or the driver's words. */
  readonly reason?: string;
  readonly version?: string;
  readonly findings: readonly Finding[];
  /** Bells by what they are waiting for; absent where the queue cannot be reached. */
  readonly bells?: { readonly waiting: number; readonly delayed: number; readonly answered: number };
  /** How often what went wrong since the queue was opened. */
  readonly troubles: Readonly<Partial<Record<QueueTrouble, number>>>;
}

/** Redis may throw bells and locks away: Baton does not start on it unless told to. */
export class EvictionError extends Error {
  override readonly name = 'EvictionError';
}

/** What `INFO` says about a Redis that is to carry a queue. */
export function redisFindings(info: ReadonlyMap<string, string>): Finding[] {
  const policy = info.get('maxmemory_policy');
  if (policy === undefined || policy === 'noeviction') return [];
  return [
    {
      code: 'eviction',
      severity: 'error',
      message: `Redis may evict bells and locks: its maxmemory-policy is ${policy}.`,
      hint: 'set maxmemory-policy to noeviction',
    },
  ];
}

/** `key:value` lines, as Redis answers `INFO`. */
export function parseInfo(text: string): Map<string, string> {
  return new Map(
    text.split(/\r?\n/).flatMap((line) => {
      const at = line.indexOf(':');
      return line.startsWith('#') || at < 0 ? [] : [[line.slice(0, at), line.slice(at + 1)] as const];
    }),
  );
}
