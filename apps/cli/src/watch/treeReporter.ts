/** Draws the tree after each event, and while durations change. */
import type { ConnectionState, FollowedEvent } from '@baton/api/client';

import type { Output } from '../output/output.ts';
import { drawRun } from '../tree/drawRun.ts';
import { drawFailures } from '../tree/failures.ts';
import { LiveTree } from './liveTree.ts';
import type { Reporter } from './reporter.ts';
import type { WatchedRun } from './watchedRun.ts';

const tickMs = 100;
/** The largest share of time for drawing, for runs of any size. */
const drawingShare = 0.1;

export class TreeReporter implements Reporter {
  readonly #output: Output;
  readonly #tree: LiveTree;
  #view: WatchedRun | undefined;
  #timer: NodeJS.Timeout | undefined;
  #clockAheadMs = 0;
  #isCut = false;
  #isPaused = false;

  constructor(output: Output) {
    this.#output = output;
    this.#tree = new LiveTree(output);
  }

  event(_: FollowedEvent, view: WatchedRun): void {
    this.#view = view;
    if (!this.#isPaused) this.#timer ??= setTimeout(() => this.#tick(), 0);
  }

  connection(connection: ConnectionState): void {
    this.#isCut = connection.state === 'cut';
    if (connection.state === 'open') this.#clockAheadMs = connection.clockAheadMs;
  }

  pause(): void {
    this.#isPaused = true;
    this.#stop();
    this.#tree.pause();
  }

  resume(): void {
    this.#isPaused = false;
    this.#tick();
  }

  end(view: WatchedRun): void {
    this.#stop();
    this.#view = view;
    const drawing = this.#draw();
    if (drawing === undefined) return;
    this.#tree.finish(drawing);
    const { head, steps, outline } = view.picture ?? {};
    if (head === undefined || steps === undefined) return;
    for (const line of drawFailures(head, steps, this.#output, outline)) this.#output.line(line);
  }

  #tick(): void {
    const startedAt = performance.now();
    const drawing = this.#draw();
    if (drawing !== undefined) this.#tree.draw({ drawing, note: this.#note() });
    const pauseMs = Math.max(tickMs, (performance.now() - startedAt) / drawingShare);
    this.#timer = setTimeout(() => this.#tick(), pauseMs);
  }

  #draw(): ReturnType<typeof drawRun> | undefined {
    const picture = this.#view?.picture;
    if (picture === undefined) return undefined;
    const nowMs = Date.now() + this.#clockAheadMs;
    return drawRun(picture, { width: this.#tree.width, nowMs, paint: this.#output.paint });
  }

  #note(): string {
    const { paint } = this.#output;
    return this.#isCut ? paint.yellow(' · connection lost, reconnecting') : paint.dim(' · ctrl-c to stop watching');
  }

  #stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
