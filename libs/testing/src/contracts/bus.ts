/** What every bus does: `busContract('…', open)` in the test file of each implementation. */
import { randomUUID } from 'node:crypto';

import type { Bus, Hint } from '@baton/runner';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { soon } from '../soon.ts';

export interface BusPair {
  /** Two processes' buses on one medium. They may be the same object where there is only one process. */
  readonly one: Bus;
  readonly other: Bus;
  /** Lets go of both. */
  close(): Promise<void>;
}

export function busContract(name: string, open: () => Promise<BusPair>): void {
  describe(`the bus: ${name}`, () => {
    let buses: BusPair;

    beforeEach(async () => {
      buses = await open();
    });

    afterEach(() => buses.close());

    /** Hints may be lost, so hint until one is heard. */
    async function hintUntil(bus: Bus, isEnough: () => boolean): Promise<void> {
      await soon(() => {
        bus.publish({ runId: randomUUID(), seq: 1 });
        expect(isEnough()).toBe(true);
      });
    }

    /** A subscription that is known to be heard. */
    async function subscribed(to: Bus, from: Bus): Promise<{ heard: Hint[]; stop: () => void }> {
      const heard: Hint[] = [];
      const stop = to.subscribe((hint) => heard.push(hint));
      await hintUntil(from, () => heard.length > 0);
      return { heard, stop };
    }

    test('carries a hint to the other process, and says of which run and how far', async () => {
      const { heard } = await subscribed(buses.other, buses.one);
      const hint = { runId: randomUUID(), seq: 42 };
      buses.one.publish(hint);
      await expect.poll(() => heard).toContainEqual(hint);
    });

    test('carries a hint to subscribers of the own process too', async () => {
      const { heard } = await subscribed(buses.one, buses.one);
      const hint = { runId: randomUUID(), seq: 7 };
      buses.one.publish(hint);
      await expect.poll(() => heard).toContainEqual(hint);
    });

    test('tells how far each of many runs has got, even if it leaves out steps on the way', async () => {
      const { heard } = await subscribed(buses.other, buses.one);
      const runs = Array.from({ length: 100 }, () => randomUUID());
      for (const seq of [1, 2, 3]) for (const runId of runs) buses.one.publish({ runId, seq });
      const newest = (): number[] =>
        runs.map((runId) => Math.max(0, ...heard.filter((hint) => hint.runId === runId).map(({ seq }) => seq)));
      await expect.poll(() => newest()).toEqual(runs.map(() => 3));
    });

    test('calls every subscriber, and none any more after it has left', async () => {
      const leaving = await subscribed(buses.other, buses.one);
      const staying = await subscribed(buses.other, buses.one);
      leaving.stop();
      const before = leaving.heard.length;
      const hint = { runId: randomUUID(), seq: 1 };
      buses.one.publish(hint);
      await expect.poll(() => staying.heard).toContainEqual(hint);
      expect(leaving.heard).toHaveLength(before);
    });

    test('keeps two subscriptions of one function apart', async () => {
      const heard: Hint[] = [];
      const listener = (hint: Hint): void => void heard.push(hint);
      const stop = buses.other.subscribe(listener);
      buses.other.subscribe(listener);
      await hintUntil(buses.one, () => heard.length > 0);
      stop();
      const hint = { runId: randomUUID(), seq: 1 };
      buses.one.publish(hint);
      await expect.poll(() => heard.filter(({ runId }) => runId === hint.runId)).toHaveLength(1);
    });

    test('what a driver tells of its own run is for those who watch, and not for those who drive', async () => {
      const watching = await subscribed(buses.other, buses.one);
      const driving: Hint[] = [];
      buses.other.subscribe((hint) => driving.push(hint), 'foreign');
      const own: Hint = { runId: randomUUID(), seq: 3, isOwn: true };
      const foreign: Hint = { runId: randomUUID(), seq: 4 };
      await soon(() => {
        buses.one.publish(own);
        expect(watching.heard).toContainEqual(own);
      });
      buses.one.publish(foreign);
      await expect.poll(() => driving).toContainEqual(foreign);
      expect(driving).not.toContainEqual(own);
    });

    test('is silent after it was closed, and publishing on it does no harm', async () => {
      const { heard } = await subscribed(buses.other, buses.one);
      await buses.close();
      const before = heard.length;
      buses.one.publish({ runId: randomUUID(), seq: 1 });
      expect(heard).toHaveLength(before);
    });
  });
}
