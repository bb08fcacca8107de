import type { Database } from '../database/database.ts';

/** The workflows whose newest version has this definition. */
export async function newestWith({ prisma }: Database, digest: string): Promise<readonly string[]> {
  const versions = await prisma.workflowVersion.findMany({
    where: { digest, workflow: { deletedAt: null } },
    select: { version: true, workflow: { select: { id: true, latest: true } } },
  });
  return versions.filter(({ version, workflow }) => version === workflow.latest).map(({ workflow: { id } }) => id);
}

/** How many versions of the workflow `by` has deployed since then. `since`: epoch milliseconds. */
export async function countDeployedBy(
  { prisma }: Database,
  { workflow, by, since }: { readonly workflow: string; readonly by: string; readonly since: number },
): Promise<number> {
  return prisma.workflowVersion.count({
    where: { workflowId: workflow, deployedBy: by, deployedAt: { gte: new Date(since) } },
  });
}
