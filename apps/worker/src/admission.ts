/**
 * Checks at the beginning of a run, by each server's `tools` policy, whether the tools of its definition still exist and
 * match their pins. The orchestrator checks earlier, from its cache; its `driftGuard.ts` says why both check.
 */
import type { Logger } from '@baton/boot';
import { cachedLoads, within } from '@baton/primitives';
import { type DriftVerdict, type ServersConfig, driftText } from '@baton/protocol';
import type { RunAdmission, Clock } from '@baton/runner';
import { type Pins, type Store, getDefinition } from '@baton/store';
import { type Servers, checkPins } from '@baton/transports';

export interface AdmissionOptions {
  readonly store: Store;
  readonly servers: Pick<Servers, 'catalogue'>;
  readonly config: ServersConfig;
  readonly clock: Clock;
  readonly log: Logger;
}

/** A server that takes longer to list its tools holds up no run: the first call to it waits for the list, and is checked. */
const checkMs = 5_000;
/** How long the definition is not checked again after that. */
const recheckMs = 30_000;
const keptMax = 500;
const undecided: DriftVerdict = { blocking: [], warnings: [] };

export function toolAdmission({ store, servers, config, clock, log }: AdmissionOptions): RunAdmission {
  const uncheckedUntil = new Map<string, number>();

  const pinsOf = cachedLoads(
    keptMax,
    async (digest): Promise<Pins> => (await getDefinition(store, digest))?.pins ?? {},
  );

  return async (digest) => {
    const pins = await pinsOf(digest);
    if ((uncheckedUntil.get(digest) ?? 0) > clock.monotonic()) return undefined;
    const onLate = (): DriftVerdict => {
      uncheckedUntil.set(digest, clock.monotonic() + recheckMs);
      return undecided;
    };
    const { blocking, warnings } = await within(checkPins(pins, servers, config), checkMs, { clock, onLate });
    for (const drift of warnings)
      log.warn({ definition: digest, drift: driftText(drift) }, 'a tool has changed since the workflow was deployed');
    if (blocking.length === 0) return undefined;
    const message = `${blocking.map(driftText).join(' ')} Deploy the workflow again to accept the change.`;
    return { code: 'tool-changed', message };
  };
}
