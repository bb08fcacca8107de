/** Applies the limit of unfinished runs of a key, schedule or hook to child runs (I7). */
import { type Children, type Clock, RunCount } from '@baton/runner';
import { type RequestOutcome, type Store, countUnderWay } from '@baton/store';

type ChildRequest = Pick<Parameters<Children['request']>[0], 'by' | 'limits'>;

/** How often, and at which interval, the runs are counted before a child run is refused. */
const recounts = { most: 10, everyMs: 500 };

/** Requests a run; undefined if its source stays at its limit of unfinished runs for some seconds. */
export function withinQuota({ store, clock }: { readonly store: Store; readonly clock: Clock }) {
  const runs = new RunCount({ count: () => countUnderWay(store), clock });
  return async (
    { by, limits: { runs: most } = {} }: ChildRequest,
    request: () => Promise<RequestOutcome>,
  ): Promise<RequestOutcome | undefined> => {
    if (most === undefined) return request();
    const start = () => request().then((made) => ({ made, isNew: made.kind === 'created' }));
    for (let count = 0; ; count += 1) {
      const started = await runs.within(by, most, start);
      if (started !== undefined || count === recounts.most) return started?.made;
      await new Promise<void>((resolve) => clock.after(recounts.everyMs, resolve));
    }
  };
}

export const tooManyRuns = ({ by, limits: { runs } = {} }: ChildRequest): string =>
  `${runs} runs of ${JSON.stringify(by.slice(0, 80))} are unfinished, the maximum for it; child runs count too.`;
