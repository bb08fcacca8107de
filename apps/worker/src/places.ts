/** The places of a worker for runs that its own process accepts: see `Home`. */
import { type BeginningRun, type Place, type Places, type RunDrivers } from '@baton/runner';

export interface PlacesOptions {
  readonly heartbeat: { readonly state: 'working' | 'late' | 'stopping' };
  readonly drives: Pick<RunDrivers, 'mayBegin' | 'begin'>;
  /** The slots are those of bells, so that the shares of the callers stay as they are. */
  readonly bells: { tryTakeIdleSlot(): (() => void) | undefined };
  /** Notes that the run is driven; never rejects. */
  readonly follow: (runId: string, drive: () => Promise<string>) => Promise<void>;
}

export const placesOf = ({ heartbeat, drives, bells, follow }: PlacesOptions): Places => ({
  take: (by: string): Place | undefined => {
    if (heartbeat.state !== 'working' || !drives.mayBegin(by)) return undefined;
    const release = bells.tryTakeIdleSlot();
    if (release === undefined) return undefined;
    return (beginning: BeginningRun) => follow(beginning.run.id, () => drives.begin(beginning)).finally(release);
  },
});
