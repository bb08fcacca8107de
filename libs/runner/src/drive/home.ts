/**
 * Where a run that this process accepts may begin at once: the statement that stores it also claims it, and no bell
 * rings. A process that drives nothing has no place, and neither has one whose places are taken: then a bell rings.
 */
import type { BeginningRun } from './runDrivers.ts';

/** Begins the run for which the place was taken. Must be called. Resolves when nothing drives the run here any more. */
export type Place = (beginning: BeginningRun) => Promise<void>;

export interface Places {
  /** Takes a place for a run of this caller, if the run may begin now, and no other run waits for that. */
  take(by: string): Place | undefined;
}

export class Home implements Places {
  #places: Places | undefined;

  /** This process drives runs from now on. */
  open(places: Places): void {
    this.#places = places;
  }

  take(by: string): Place | undefined {
    return this.#places?.take(by);
  }
}
