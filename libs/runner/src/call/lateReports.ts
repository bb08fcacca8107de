/**
 * Appends answers that come after another worker took the run over, or after the call was reported as given up. `judge`
 * adopts an answer of the latest attempt and drops the others.
 */
import { type AttemptReport, isEnded, judge } from '@baton/engine';
import type { Plan } from '@baton/language';

import type { Ports } from '../drivePorts.ts';
import { UnavailableError } from '../ports/journal.ts';
import { advanceUnlessForged } from '../record/advance.ts';
import { BlobOffloader } from '../values/blobOffloader.ts';

/** After these tries the outcome stays unknown, as the journal already says. */
const triesMax = 10;

/** Returns whether the journal took the report. Rejects only for a bug. */
export async function reportLate(ports: Ports, plan: Plan, runId: string, report: AttemptReport): Promise<boolean> {
  for (let tries = 0, waitMs = 250; tries < triesMax; tries++, waitMs = Math.min(waitMs * 2, 5_000)) {
    try {
      return await adopt(ports, plan, runId, report);
    } catch (error) {
      if (!(error instanceof UnavailableError)) throw error;
      await new Promise<void>((resolve) => ports.clock.after(waitMs, resolve));
    }
  }
  return false;
}

async function adopt(ports: Ports, plan: Plan, runId: string, report: AttemptReport): Promise<boolean> {
  const { journal, bus, bell, cache } = ports;
  const advanced = await advanceUnlessForged(
    journal,
    runId,
    (run) => {
      if (isEnded(run)) return [];
      return judge(plan, run, { ...report, at: Math.max(report.at, run.at) });
    },
    new BlobOffloader(cache),
  );
  if (advanced === undefined || advanced.events.length === 0) return false;
  const { seq, priority } = advanced.run;
  bus.publish({ runId, seq });
  await bell.ring([{ runId, priority }]).catch(() => {});
  return true;
}
