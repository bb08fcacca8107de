/** Who tells of a run while it is watched: the tree, lines, JSON, or nobody. */
import type { Connection, Followed } from '../client/follow.ts';
import type { RunView } from './runView.ts';

export interface Reporter {
  /** `view` has taken the event already. */
  event(followed: Followed, view: RunView): void;
  connection(connection: Connection, view: RunView): void;
  /** Somebody else writes to the terminal now. */
  pause(): void;
  resume(): void;
  /** Nothing more will come: the run is over, or it is no longer watched. */
  end(view: RunView): void;
}

export const silentReporter: Reporter = { event() {}, connection() {}, pause() {}, resume() {}, end() {} };
