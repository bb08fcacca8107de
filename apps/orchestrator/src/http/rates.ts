/**
 * Limits requests per time: of each key, and of each address without a key, so that one client cannot use up the
 * service. Each orchestrator counts for itself.
 */
import { ProblemError } from '@baton/api';
import { limits } from '@baton/expressions';
import { delayText } from '@baton/primitives';
import rateLimit from '@fastify/rate-limit';
import type { FastifyRequest } from 'fastify';

import type { App, RequestRates } from './edge.ts';

export interface RateLimits {
  /** Requests of a key in a window. */
  readonly ofKey: number;
  readonly ofAddress: number;
  readonly windowMs: number;
  /** Checks of workflows per minute, for a key without its own limit. */
  readonly checksPerMinute: number;
}

/** Far more than honest clients need, and far less than harms. */
const usual: RateLimits = {
  ofKey: 300_000,
  ofAddress: 12_000,
  windowMs: 60_000,
  checksPerMinute: limits.key.checksPerMinute,
};

/** Keys and addresses counted at the same time; beyond it the least recently used are forgotten. */
const countedMax = 10_000;

type RateCheck = ReturnType<App['createRateLimit']>;

export class Rates implements RequestRates {
  readonly #limits: RateLimits;
  #ofKey: RateCheck | undefined;
  #ofAddress: RateCheck | undefined;
  #ofChecks: RateCheck | undefined;

  constructor(rates: Partial<RateLimits> = {}) {
    this.#limits = { ...usual, ...rates };
  }

  /** Before the first request. */
  async open(app: App): Promise<void> {
    const { ofKey, ofAddress, windowMs: timeWindow, checksPerMinute } = this.#limits;
    await app.register(rateLimit, { global: false, cache: countedMax });
    this.#ofKey = app.createRateLimit({ max: ofKey, timeWindow, keyGenerator: ({ principal }) => principal.id });
    // All addresses of an IPv6 /64 network count as one.
    this.#ofAddress = app.createRateLimit({ max: ofAddress, timeWindow, ipv6Subnet: 64 });
    this.#ofChecks = app.createRateLimit({
      max: ({ principal }) => principal.limits?.checks ?? checksPerMinute,
      timeWindow: 60_000,
      keyGenerator: ({ principal }) => `checks ${principal.client?.holder.id ?? principal.id}`,
    });
  }

  /** Counts the request for its key, if known, else for its address. Rejects with `ProblemError`. */
  check(request: FastifyRequest, by: 'key' | 'address'): Promise<void> {
    return by === 'key'
      ? this.#count(request, this.#ofKey, by, 'requests with this key')
      : this.#count(request, this.#ofAddress, by, 'requests without a key from this address');
  }

  /** Counts a workflow that is about to be checked. Rejects with `ProblemError`. */
  checkWorkflow(request: FastifyRequest): Promise<void> {
    return this.#count(request, this.#ofChecks, 'checks', 'workflows were checked for this key');
  }

  async #count(request: FastifyRequest, check: RateCheck | undefined, by: string, what: string): Promise<void> {
    const counted = await check?.(request);
    if (counted === undefined || counted.isAllowed || !counted.isExceeded) return;
    const { max, timeWindow, ttlInSeconds } = counted;
    throw new ProblemError('rate-limited', `More than ${max} ${what} in ${delayText(timeWindow)}.`, {
      headers: {
        'retry-after': String(Math.max(1, ttlInSeconds)),
        'ratelimit-policy': `"${by}";q=${max};w=${timeWindow / 1_000}`,
        ratelimit: `"${by}";r=0;t=${ttlInSeconds}`,
      },
    });
  }
}
