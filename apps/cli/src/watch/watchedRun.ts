/** A followed run: its journal folded by the engine, ready to be drawn. */
import type { FollowedEvent } from '@baton/api/client';
import { type Run, begin, evolve, Trace } from '@baton/engine';

import type { RunPicture } from '../tree/drawRun.ts';
import type { WorkflowOutline } from '../tree/outline.ts';
import { headOfRun } from '../tree/runHead.ts';

export class WatchedRun {
  readonly runId: string;
  readonly outline: WorkflowOutline | undefined;
  readonly trace = new Trace();
  #run: Run | undefined;

  constructor(runId: string, outline: WorkflowOutline | undefined) {
    this.runId = runId;
    this.outline = outline;
  }

  /** Undefined before the first event. */
  get run(): Run | undefined {
    return this.#run;
  }

  take({ event }: FollowedEvent): void {
    this.#run = this.#run === undefined ? begin(this.runId, event) : evolve(this.#run, event);
    this.trace.take(event);
  }

  get picture(): RunPicture | undefined {
    if (this.#run === undefined) return undefined;
    return { head: headOfRun(this.#run), steps: this.trace.steps, outline: this.outline };
  }
}
