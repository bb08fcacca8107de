/** Reads a run and decides whether this worker may drive it now. */
import { type UnfinishedRun, isEnded, planFor } from '@baton/engine';

import type { Ports } from '../drivePorts.ts';
import type { RunLog } from '../ports/journal.ts';
import { openRun } from '../record/openRun.ts';
import type { DriveOutcome } from './driveMoves.ts';
import { type TimeSharing, Driver } from './driver.ts';
import { isHeld } from './isHeld.ts';
import { takeTurn } from './turn.ts';

export interface DriverOptions {
  readonly ports: Ports;
  readonly time: TimeSharing;
  /** Resolves when the run may begin: true where it had to wait, and may have changed meanwhile. */
  readonly hold: (run: UnfinishedRun) => Promise<boolean>;
}

/**
 * The driver of the run, or the outcome that says why it cannot be driven now. Undefined where there is no such run.
 * Rejects with `UnavailableError`.
 */
export async function openDriver(
  { ports, time, hold }: DriverOptions,
  runId: string,
): Promise<Driver | DriveOutcome | undefined> {
  const found = await findDrivable(ports, runId);
  if (found === undefined || typeof found === 'string') return found;
  const opened = (await hold(found.run)) ? await findDrivable(ports, runId) : found;
  if (opened === undefined || typeof opened === 'string') return opened;
  const { run, log } = opened;
  const plan = planFor(await ports.plans(run.definition), run);
  const turn = run.status === 'queued' ? await takeTurn(ports, plan, run) : 'begin';
  return turn === 'begin' ? new Driver(ports, time, plan, { run, log, isStored: true }) : turn;
}

interface DrivableRun {
  readonly run: UnfinishedRun;
  readonly log: RunLog;
}

async function findDrivable(ports: Ports, runId: string): Promise<DrivableRun | DriveOutcome | undefined> {
  const opened = await openRun(ports.journal, runId);
  if (opened === undefined) return undefined;
  const { run, log } = opened;
  if (isEnded(run)) return 'finished';
  if (run.status === 'queued' && (run.notBefore ?? 0) > ports.clock.now() && run.cancel === undefined) return 'waiting';
  return (await isHeld(ports, run)) ? 'lost' : { run, log };
}
