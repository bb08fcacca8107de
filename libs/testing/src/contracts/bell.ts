/** What every bell does: `bellContract('…', open)` in the test file of each implementation. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Bell, BellListener, BellHandler } from '@baton/runner';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

export interface BellParties {
  readonly bell: Bell;
  listen(onBell: BellHandler, options: { readonly concurrency: number }): BellListener;
  /** Lets go of everything, listeners without grace. */
  close(): Promise<void>;
}

/** Longer than a run waits for a place before its bell goes back to the queue. */
const handedBack = (): Promise<void> => sleep(200);

const bellsInTheCrowd = 10_000;

export function bellContract(name: string, open: () => Promise<BellParties>): void {
  describe(`the bell: ${name}`, () => {
    let tower: BellParties;
    let heard: string[];

    beforeEach(async () => {
      tower = await open();
      heard = [];
    });

    afterEach(() => tower.close());

    const note: BellHandler = async (runId) => {
      heard.push(runId);
    };

    /** A listener whose one place is taken, until it is let go. */
    async function occupied(): Promise<{ listener: BellListener; letGo: () => void }> {
      const first = randomUUID();
      const place = Promise.withResolvers<void>();
      const isTaken = Promise.withResolvers<void>();
      const listener = tower.listen(
        async (runId) => {
          if (runId !== first) return void heard.push(runId);
          isTaken.resolve();
          await place.promise;
        },
        { concurrency: 1 },
      );
      await tower.bell.ring([{ runId: first }]);
      await isTaken.promise;
      return { listener, letGo: place.resolve };
    }

    test('is heard by a listener', async () => {
      tower.listen(note, { concurrency: 1 });
      const runId = randomUUID();
      await tower.bell.ring([{ runId }]);
      await expect.poll(() => heard).toEqual([runId]);
    });

    test('rings of before there was a listener wait for one, in their order', async () => {
      const runs = Array.from({ length: 20 }, () => randomUUID());
      await tower.bell.ring(runs.map((runId) => ({ runId })));
      tower.listen(note, { concurrency: 1 });
      await expect.poll(() => heard).toEqual(runs);
    });

    test('ringing for no run is no trouble', async () => {
      await expect(tower.bell.ring([])).resolves.toBeUndefined();
    });

    test('rung again while the run is in hand, it is heard again', async () => {
      const runId = randomUUID();
      const first = Promise.withResolvers<void>();
      tower.listen(
        async (id) => {
          heard.push(id);
          if (heard.length === 1) await first.promise;
        },
        { concurrency: 1 },
      );
      await tower.bell.ring([{ runId }]);
      await expect.poll(() => heard).toHaveLength(1);
      await tower.bell.ring([{ runId }]);
      first.resolve();
      await expect.poll(() => heard).toEqual([runId, runId]);
    });

    test('rung fifty times for one run by three workers’ ears, it is heard, and nothing else is', async () => {
      const runId = randomUUID();
      for (let worker = 0; worker < 3; worker += 1) tower.listen(note, { concurrency: 5 });
      await tower.bell.ring(Array.from({ length: 50 }, () => ({ runId })));
      const other = randomUUID();
      await tower.bell.ring([{ runId: other }]);
      await expect.poll(() => new Set(heard)).toEqual(new Set([runId, other]));
    });

    test('answers at most as many at once as it was told to, and as many as that', async () => {
      let atOnce = 0;
      let most = 0;
      const full = Promise.withResolvers<void>();
      tower.listen(
        async (runId) => {
          atOnce += 1;
          most = Math.max(most, atOnce);
          if (atOnce === 3) full.resolve();
          await full.promise;
          heard.push(runId);
          atOnce -= 1;
        },
        { concurrency: 3 },
      );
      await tower.bell.ring(Array.from({ length: 30 }, () => ({ runId: randomUUID() })));
      await expect.poll(() => heard).toHaveLength(30);
      expect(most).toBe(3);
    });

    test('the smaller number goes first, and none at all before any', async () => {
      const { letGo } = await occupied();
      const [least, later, sooner, plain] = Array.from({ length: 4 }, () => randomUUID());
      await tower.bell.ring([
        { runId: least ?? '', priority: 1e12 },
        { runId: later ?? '', priority: 9 },
        { runId: sooner ?? '', priority: 2 },
      ]);
      await tower.bell.ring([{ runId: plain ?? '' }]);
      letGo();
      await expect.poll(() => heard).toEqual([plain, sooner, later, least]);
    });

    test('runs that found no place go ahead of those that were rung for later', async () => {
      const [first, second, third, ...later] = Array.from({ length: 13 }, () => randomUUID());
      const place = Promise.withResolvers<void>();
      const listener = tower.listen(
        async (runId) => {
          heard.push(runId);
          await place.promise;
        },
        { concurrency: 1 },
      );
      await tower.bell.ring([first, second, third].map((runId) => ({ runId: String(runId) })));
      for (const runId of later) await tower.bell.ring([{ runId }]);
      await expect.poll(() => heard).toEqual([first]);
      await handedBack();
      place.resolve();
      await expect.poll(() => heard).toHaveLength(13);
      expect(heard).toEqual([first, second, third, ...later]);
      await listener.close(1_000);
    });

    test('an urgent ring overtakes a crowd', async () => {
      const { letGo } = await occupied();
      const crowd = Array.from({ length: 500 }, () => ({ runId: randomUUID(), priority: 10 }));
      await tower.bell.ring(crowd);
      const runId = randomUUID();
      await tower.bell.ring([{ runId, priority: 1 }]);
      letGo();
      await expect.poll(() => heard.length).toBeGreaterThan(0);
      expect(heard[0]).toBe(runId);
    });

    test('a delayed ring lets others go ahead, and comes', async () => {
      const late = randomUUID();
      const now = randomUUID();
      tower.listen(note, { concurrency: 1 });
      await tower.bell.ring([{ runId: late, delayMs: 400 }, { runId: now }]);
      await expect.poll(() => heard).toEqual([now, late]);
    });

    test('an answer that fails does not stop the next', async () => {
      const broken = randomUUID();
      tower.listen(
        async (runId) => {
          if (runId === broken) throw new Error('this one is broken');
          heard.push(runId);
        },
        { concurrency: 1 },
      );
      const runId = randomUUID();
      await tower.bell.ring([{ runId: broken }, { runId }]);
      await expect.poll(() => heard).toEqual([runId]);
    });

    test('closing waits for the answers under way, and takes no more', async () => {
      const { listener, letGo } = await occupied();
      const behind = randomUUID();
      await tower.bell.ring([{ runId: behind }]);
      const closing = listener.close(60_000);
      letGo();
      await closing;
      expect(heard).toEqual([]);
      tower.listen(note, { concurrency: 1 });
      await expect.poll(() => heard).toEqual([behind]);
    });

    test('what is not answered when the grace is over is told so, and handed to another worker', async () => {
      const runId = randomUUID();
      const taken = Promise.withResolvers<AbortSignal>();
      const never = Promise.withResolvers<void>();
      const stuck = tower.listen(
        async (_runId, signal) => {
          taken.resolve(signal);
          await never.promise;
        },
        { concurrency: 1 },
      );
      await tower.bell.ring([{ runId }]);
      const signal = await taken.promise;
      expect(signal.aborted).toBe(false);
      await stuck.close(0);
      expect(signal.aborted).toBe(true);
      tower.listen(note, { concurrency: 1 });
      await expect.poll(() => heard).toEqual([runId]);
      never.resolve();
    });

    test(`none of ${bellsInTheCrowd} is lost`, async () => {
      const runs = Array.from({ length: bellsInTheCrowd }, () => randomUUID());
      tower.listen(note, { concurrency: 50 });
      await Promise.all(
        Array.from({ length: 100 }, (_, nth) =>
          tower.bell.ring(runs.slice(nth * 100, nth * 100 + 100).map((runId) => ({ runId }))),
        ),
      );
      await expect.poll(() => heard.length).toBeGreaterThanOrEqual(bellsInTheCrowd);
      expect(new Set(heard)).toEqual(new Set(runs));
    });
  });
}
