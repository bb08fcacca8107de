import type { Database } from '../database/database.ts';

/** Pauses the schedules that are not paused. Rejects with `UnavailableError`. */
export async function pauseAllSchedules(
  { schedule }: Pick<Database['prisma'], 'schedule'>,
  { by, at }: { readonly by: string; readonly at: number },
): Promise<void> {
  await schedule.updateMany({
    where: { pausedAt: null, removedAt: null },
    data: { pausedAt: new Date(at), pausedBy: by },
  });
}
