/** What channels between processes do: `channelsContract('…', open)` in the test file of each implementation. */
import { type Channels, RunOffers } from '@baton/runner';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { soon } from '../soon.ts';

export interface ChannelsPair {
  /** Two processes' channels on one medium. They may be the same object where there is only one process. */
  readonly one: Channels;
  readonly other: Channels;
  /** Lets go of both. */
  close(): Promise<void>;
}

export function channelsContract(name: string, open: () => Promise<ChannelsPair>): void {
  describe(`channels: ${name}`, () => {
    let channels: ChannelsPair;

    beforeEach(async () => {
      channels = await open();
    });

    afterEach(() => channels.close());

    /** Texts may be lost while a listener is new, so the text is sent until it is heard. */
    const sentUntil = (send: () => void, isHeard: () => void): Promise<void> =>
      soon(() => {
        send();
        isHeard();
      });

    test('carry a text to the listeners of its channel in another process, and to no other', async () => {
      const crowded: string[] = [];
      const offers: string[] = [];
      channels.other.listen('crowded', (text) => crowded.push(text));
      channels.other.listen('offers', (text) => offers.push(text));
      await sentUntil(
        () => channels.one.send('crowded', 'w "1", größer'),
        () => expect(crowded).toContain('w "1", größer'),
      );
      expect(offers).toEqual([]);
    });

    test('call every listener, and none any more after it has left', async () => {
      const [leaving, staying]: string[][] = [[], []];
      const leave = channels.other.listen('offers', (text) => leaving?.push(text));
      channels.other.listen('offers', (text) => staying?.push(text));
      await sentUntil(
        () => channels.one.send('offers', 'first'),
        () =>
          expect([leaving, staying]).toEqual([expect.arrayContaining(['first']), expect.arrayContaining(['first'])]),
      );
      leave();
      channels.one.send('offers', 'last');
      await expect.poll(() => staying).toContain('last');
      expect(leaving).not.toContain('last');
    });

    test('carry what crowded workers say, and offers to the worker that they are for', async () => {
      const [one, other] = [new RunOffers(channels.one), new RunOffers(channels.other)];
      const crowded = { worker: 'w-1', callers: ['key "a"', 'schedule b'] };
      const heard: object[] = [];
      const offered: string[] = [];
      const foreign: string[] = [];
      one.onCrowded((said) => heard.push(said));
      other.onOffer('w-1', (runId) => offered.push(runId));
      other.onOffer('w-2', (runId) => foreign.push(runId));
      await sentUntil(
        () => other.sayCrowded(crowded),
        () => expect(heard).toContainEqual(crowded),
      );
      await sentUntil(
        () => one.offer({ worker: 'w-1', runId: 'r-1' }),
        () => expect(offered).toContain('r-1'),
      );
      expect(foreign).toEqual([]);
    });
  });
}
