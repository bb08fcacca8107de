/**
 * The calls in flight on one connection of one device, and their results.
 *
 * The protocol has no way to cancel a call or to ask about its progress. Baton only stops waiting for an aborted call:
 * its outcome is unknown, and a late result is dropped.
 */
import { randomUUID } from 'node:crypto';

import { FailureError } from '@baton/engine';
import { type JsonObject, Semaphore, writtenDuration } from '@baton/primitives';
import { callMessage, encodeMessage, type DeviceOutcome } from '@baton/protocol';
import { callTimeout, cancelled, workerLost, type CallContext } from '@baton/runner';

import type { DeviceLimits } from './limits.ts';

/** The longest delay of a Node timer, in milliseconds. */
const timerMax = 2 ** 31 - 1;

interface PendingDeviceCall {
  readonly resolve: (outcome: DeviceOutcome) => void;
  readonly reject: (failure: FailureError) => void;
}

export interface DeviceAnswer {
  readonly outcome: DeviceOutcome;
  readonly waitedMs: number;
}

type DeviceCallLimits = Pick<CallContext, 'signal' | 'timeout' | 'beginSend'>;

export class DeviceCalls {
  readonly #device: string;
  readonly #limits: DeviceLimits;
  readonly #send: (frame: string) => boolean;
  readonly #permits: Semaphore;
  readonly #pending = new Map<string, PendingDeviceCall>();
  readonly #ended = new AbortController();

  /** `send` returns false if the device accepts no more data. */
  constructor(device: string, limits: DeviceLimits, send: (frame: string) => boolean) {
    this.#device = device;
    this.#limits = limits;
    this.#send = send;
    this.#permits = new Semaphore(limits.inFlight);
  }

  get inFlight(): number {
    return this.#pending.size;
  }

  get waiting(): number {
    return this.#permits.waiting;
  }

  /** Rejects with `FailureError`. */
  async call(service: string, args: JsonObject, callLimits: DeviceCallLimits): Promise<DeviceAnswer> {
    const timeLimitMs = timeLimitOf(callLimits.timeout, this.#limits.callMs);
    const begun = performance.now();
    const giveBack = await this.#turn(callLimits.signal, timeLimitMs);
    const waitedMs = performance.now() - begun;
    try {
      return { outcome: await this.#ask(service, args, callLimits, timeLimitMs - waitedMs), waitedMs };
    } finally {
      giveBack();
    }
  }

  /** Resolves the call with its outcome; false where no such call is pending. */
  answer(callId: string, outcome: DeviceOutcome): boolean {
    const pending = this.#pending.get(callId);
    pending?.resolve(outcome);
    return pending !== undefined;
  }

  /** Fails all calls because the connection has ended; a call that was sent has an unknown outcome. */
  end(why: string): void {
    this.#ended.abort();
    const message = `${why} while the device "${this.#device}" was doing the call.`;
    for (const { reject } of this.#pending.values()) {
      reject(new FailureError('connection-lost', message, { delivery: 'unknown' }));
    }
  }

  async #turn(signal: AbortSignal, timeLimitMs: number): Promise<() => void> {
    if (signal.aborted) throw cancelled('unsent', signal);
    if (this.#ended.signal.aborted) throw this.#connectionEnded();
    if (this.#permits.waiting >= this.#limits.waiters) {
      throw new FailureError('server-overloaded', `Too many calls wait for the device "${this.#device}".`);
    }
    const timeUp = AbortSignal.timeout(Math.min(timeLimitMs, timerMax));
    try {
      return await this.#permits.take(AbortSignal.any([signal, timeUp, this.#ended.signal]));
    } catch (error) {
      if (signal.aborted) throw cancelled('unsent', signal);
      if (this.#ended.signal.aborted) throw this.#connectionEnded();
      const message = `The device "${this.#device}" was busy with other calls for ${writtenDuration(timeLimitMs)}.`;
      throw new FailureError('timeout', message, { delivery: 'unsent', cause: error });
    }
  }

  async #ask(
    service: string,
    args: JsonObject,
    { signal, beginSend }: DeviceCallLimits,
    leftMs: number,
  ): Promise<DeviceOutcome> {
    // Unique over all connections: a late result cannot be taken for another call's.
    const id = randomUUID();
    const frame = encodeMessage(callMessage(id, service, args));
    if (Buffer.byteLength(frame) > this.#limits.payloadBytes) {
      const message = `The arguments of "${service}" have more than ${this.#limits.payloadBytes} bytes.`;
      throw new FailureError('limit-exceeded', message, { delivery: 'unsent' });
    }
    if (beginSend?.() === false) throw workerLost();
    if (!this.#send(frame)) throw this.#congested();
    const { promise, resolve, reject } = Promise.withResolvers<DeviceOutcome>();
    this.#pending.set(id, { resolve, reject });
    const timer = setTimeout(() => reject(this.#timedOut(service)), Math.min(Math.max(leftMs, 0), timerMax));
    const onAbort = (): void => reject(cancelled('unknown', signal));
    signal.addEventListener('abort', onAbort, { once: true });
    return promise.finally(() => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      this.#pending.delete(id);
    });
  }

  #connectionEnded(): FailureError {
    const message = `The connection of the device "${this.#device}" ended before the call was sent.`;
    return new FailureError('connection-lost', message, { delivery: 'unsent' });
  }

  #congested(): FailureError {
    const message = `The device "${this.#device}" reads too slowly: too much data waits to be sent to it.`;
    return new FailureError('server-overloaded', message, { delivery: 'unsent' });
  }

  #timedOut(service: string): FailureError {
    const message = `The device "${this.#device}" did not answer in time ("${service}").`;
    return new FailureError('timeout', message, { delivery: 'unknown', details: { kind: 'total' } });
  }
}

/** The shorter of the two timeouts: devices report no progress that could restart `idle`. */
export function timeLimitOf(timeout: CallContext['timeout'], defaultMs: number): number {
  if (timeout.idleMs === undefined && timeout.totalMs === undefined) return defaultMs;
  const { callIdleMs, callTotalMs } = callTimeout(timeout);
  return Math.min(callIdleMs, callTotalMs);
}
