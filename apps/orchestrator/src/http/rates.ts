/**
 * How many requests are served in a while: of one key, and of one address that comes without any. A client gone wild is
 * told to slow down before it takes from the others. Counted by each orchestrator for itself.
 */
import { ProblemError } from '@baton/api';
import rateLimit from '@fastify/rate-limit';
import type { FastifyRequest } from 'fastify';

import type { App } from './edge.ts';

export interface RateLimits {
  /** Requests in a window. */
  readonly ofKey: number;
  readonly ofAddress: number;
  readonly windowMs: number;
}

/** Far above what honest clients need, far below what hurts. */
const rateLimits: RateLimits = { ofKey: 300_000, ofAddress: 12_000, windowMs: 60_000 };

/** Keys and addresses that are counted at a time; beyond it those unused for longest are forgotten. */
const countedMax = 10_000;

type RateCheck = ReturnType<App['createRateLimit']>;

export class Rates {
  readonly #limits: RateLimits;
  #ofKey: RateCheck | undefined;
  #ofAddress: RateCheck | undefined;

  constructor(limits: RateLimits = rateLimits) {
    this.#limits = limits;
  }

  /** Before the first request. */
  async open(app: App): Promise<void> {
    const { ofKey, ofAddress, windowMs: timeWindow } = this.#limits;
    await app.register(rateLimit, { global: false, cache: countedMax });
    this.#ofKey = app.createRateLimit({ max: ofKey, timeWindow, keyGenerator: ({ principal }) => principal.id });
    // Who has a network of IPv6 addresses of his own counts once.
    this.#ofAddress = app.createRateLimit({ max: ofAddress, timeWindow, ipv6Subnet: 64 });
  }

  /** Counts the request, for its key where that is known. Rejects with `ProblemError`. */
  async check(request: FastifyRequest, by: 'key' | 'address'): Promise<void> {
    const counted = await (by === 'key' ? this.#ofKey : this.#ofAddress)?.(request);
    if (counted === undefined || counted.isAllowed || !counted.isExceeded) return;
    const { max, timeWindow, ttlInSeconds } = counted;
    const of = by === 'key' ? 'with this key' : 'without a key from this address';
    throw new ProblemError('rate-limited', `More than ${max} requests ${of} in ${timeWindow / 1_000} s.`, {
      headers: {
        'retry-after': String(Math.max(1, ttlInSeconds)),
        'ratelimit-policy': `"${by}";q=${max};w=${timeWindow / 1_000}`,
        ratelimit: `"${by}";r=0;t=${ttlInSeconds}`,
      },
    });
  }
}
