/** Loads a run, and computes it as of now and as of a chosen event. */
import type { RunEvent } from '@baton/engine';
import { useEffect, useMemo, useState, useSyncExternalStore } from 'react';

import { type RunMoment, RunFold } from './fold.ts';
import { Journal } from './journal.ts';

export interface FollowedRun {
  readonly events: readonly RunEvent[];
  readonly isLoaded: boolean;
  readonly error: unknown;
  /** The run as of the end of the journal. */
  readonly now: RunMoment | undefined;
  /** The run as shown: as of the chosen event, or the end. */
  readonly shown: RunMoment | undefined;
  readonly isLive: boolean;
}

/** `at`: the number of events; undefined: all. */
export function useRun(id: string, at: number | undefined): FollowedRun {
  const [journal] = useState(() => new Journal(id));
  useEffect(() => {
    const stop = new AbortController();
    void journal.follow(stop.signal);
    return () => stop.abort();
  }, [journal]);
  const { events, version, isLoaded, error } = useSyncExternalStore(journal.subscribe, journal.view);
  const folds = useMemo(() => {
    const now = new RunFold(id, events);
    return { now, past: new RunFold(id, events, now) };
  }, [id, events]);
  const count = events.length;
  return useMemo(() => {
    const now = version === 0 ? undefined : folds.now.at(count);
    const isLive = at === undefined || at >= count;
    return { events, isLoaded, error, now, shown: isLive ? now : folds.past.at(at), isLive };
  }, [folds, events, version, count, at, isLoaded, error]);
}
