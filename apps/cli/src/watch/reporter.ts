/** Reports a watched run: as a tree, as lines, as JSON, or not at all. */
import type { ConnectionState, FollowedEvent } from '@baton/api/client';

import type { RunView } from './runView.ts';

export interface Reporter {
  /** `view` includes the event already. */
  event(followed: FollowedEvent, view: RunView): void;
  connection(connection: ConnectionState, view: RunView): void;
  /** Another writer uses the terminal now. */
  pause(): void;
  resume(): void;
  /** The last call: the run has ended, or the watcher leaves. */
  end(view: RunView): void;
}

export const silentReporter: Reporter = { event() {}, connection() {}, pause() {}, resume() {}, end() {} };
