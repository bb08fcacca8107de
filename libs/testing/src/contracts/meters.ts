/** What meters of calls do: `metersContract('…', open)` in the test file of each implementation. */
import { randomUUID } from 'node:crypto';

import {
  type CallPace,
  type Channels,
  type Meter,
  type Meters,
  type PacedCall,
  ServerRates,
  systemClock,
} from '@baton/runner';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

export interface MetersPair {
  /** Of two processes, on one medium. */
  readonly one: Meters;
  readonly other: Meters;
  close(): Promise<void>;
}

const hourMs = 3_600_000;

const deafChannels: Channels = { send: () => {}, listen: () => () => {} };

function paceOver(meters: Meters, burst: number): CallPace {
  return new ServerRates({
    meters,
    channels: deafChannels,
    clock: systemClock,
    random: Math.random,
    rateOf: () => ({ everyMs: hourMs, burst, by: 'server' }),
    isOneServer: () => true,
    onAway: () => {},
  });
}

export function metersContract(name: string, open: () => Promise<MetersPair>): void {
  describe(`meters: ${name}`, () => {
    let meters: MetersPair;
    let meter: Meter;

    beforeEach(async () => {
      meters = await open();
      const server = `s "${randomUUID()}`;
      meter = { name: `line ${server}`, server, everyMs: hourMs, burst: 3 };
    });

    afterEach(() => meters.close());

    /** How many intervals each of these turns is away, rounded, in order. */
    const turnsOf = async (count: number, more: Partial<Meter> = {}): Promise<number[]> => {
      const takes = Array.from({ length: count }, (_, n) =>
        (n % 2 === 0 ? meters.one : meters.other).take({ ...meter, ...more }),
      );
      const turns = await Promise.all(takes);
      return turns.map(({ waitMs }) => Math.round(waitMs / hourMs)).toSorted((a, b) => a - b);
    };

    test('hand out the burst at once and then one turn after the other, whichever process asks', async () => {
      expect(await turnsOf(200)).toEqual([0, 0, ...Array.from({ length: 198 }, (_, n) => n)]);
    });

    test('count each name for itself', async () => {
      expect(await turnsOf(3)).toEqual([0, 0, 0]);
      expect(await turnsOf(4, { name: `${meter.name} other` })).toEqual([0, 0, 0, 1]);
    });

    test('take no turn that is further away than it may be, and leave it to others', async () => {
      const near = { ...meter, withinMs: 1_000 };
      const turns = await Promise.all(Array.from({ length: 5 }, () => meters.one.take(near)));
      expect(turns.filter(({ isTaken }) => isTaken)).toHaveLength(3);
      expect(turns.filter(({ isTaken }) => !isTaken).every(({ waitMs }) => waitMs > 0.9 * hourMs)).toBe(true);
      expect(Math.round((await meters.other.take(meter)).waitMs / hourMs)).toBe(1);
    });

    test('hand out turns of less than a millisecond, and of longer than a month', async () => {
      const quick = { ...meter, everyMs: 0.01, burst: 1 };
      expect((await meters.one.take(quick)).waitMs).toBeLessThan(1);
      const slow = { ...meter, name: `${meter.name} slow`, everyMs: 31 * 24 * hourMs, burst: 1 };
      await Promise.all(Array.from({ length: 12 }, () => meters.one.take(slow)));
      expect(Math.round((await meters.other.take(slow)).waitMs / slow.everyMs)).toBe(12);
    });

    test('let no turn of a paused server come before the pause is over, and then the burst first', async () => {
      await meters.one.pause(meter.server, 10 * hourMs);
      await meters.one.pause(meter.server, 2 * hourMs);
      expect(await turnsOf(5)).toEqual([10, 10, 10, 11, 12]);
      expect(await turnsOf(1, { name: 'of another server', server: `${meter.server} other` })).toEqual([0]);
      const leftMs = (await meters.other.pauses()).get(meter.server) ?? 0;
      expect(Math.round(leftMs / hourMs)).toBe(10);
    });

    test('let two thousand callers of four processes send no more calls than the bucket has', async () => {
      const paces = [meters.one, meters.other, meters.one, meters.other].map((one) => paceOver(one, 7));
      const call: PacedCall = { server: meter.server, name: 't', by: 'ada' };
      const { signal } = new AbortController();
      const sent = await Promise.all(
        Array.from({ length: 2_000 }, async (_, n) => paces[n % paces.length]?.mayBeSent(call, signal)),
      );
      expect(sent.filter((isSent) => isSent)).toHaveLength(7);
    });
  });
}
