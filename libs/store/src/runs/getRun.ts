import type { Parent } from '@baton/engine';

import type { Database } from '../database/database.ts';
import { isRunId } from '../database/runId.ts';
import { isStorable } from '../journal/storableText.ts';
import { type RunSummary, summaryOf } from './runSummary.ts';

/** The run with this id. Undefined if there is none, or the text is no run id. */
export async function getRun({ prisma }: Database, runId: string): Promise<RunSummary | undefined> {
  if (!isRunId(runId)) return undefined;
  const row = await prisma.run.findUnique({ where: { id: runId } });
  return row === null ? undefined : summaryOf(row);
}

/** The child run that this attempt of this step requested. */
export async function getChildRun({ prisma }: Database, parent: Parent): Promise<RunSummary | undefined> {
  const { runId, path, attempt } = parent;
  if (!isRunId(runId) || !isStorable(path)) return undefined;
  const row = await prisma.run.findFirst({
    where: { parentRunId: runId, parentPath: path, parentAttempt: attempt },
  });
  return row === null ? undefined : summaryOf(row);
}
