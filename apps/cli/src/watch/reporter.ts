/** Reports a watched run: as a tree, as lines, as JSON, or not at all. */
import type { ConnectionState, FollowedEvent } from '@baton/api/client';

import { jsonText } from '../output/json.ts';
import type { Output } from '../output/output.ts';
import type { WatchedRun } from './watchedRun.ts';

export interface Reporter {
  /** `view` includes the event already. */
  event(followed: FollowedEvent, view: WatchedRun): void;
  connection(connection: ConnectionState, view: WatchedRun): void;
  /** Another writer uses the terminal now. */
  pause(): void;
  resume(): void;
  /** The last call: the run has ended, or the watcher leaves. */
  end(view: WatchedRun): void;
}

export const silentReporter: Reporter = { event() {}, connection() {}, pause() {}, resume() {}, end() {} };

/** Each event as a line of JSON, for programs. */
export const jsonReporter = (output: Output): Reporter => ({
  ...silentReporter,
  event: ({ seq, event }) => output.line(jsonText({ seq, ...event }, 'line')),
});
