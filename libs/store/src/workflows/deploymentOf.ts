/** Who deployed the text of a version, and when they agreed to the workflows that it calls. */
import type { Database } from '../database/database.ts';
import type { Prisma } from '../generated/client.ts';
import { proofAuthor } from './findVersion.ts';

interface TextDeployment {
  /** As the audit writes them. */
  readonly by: string;
  /** Epoch milliseconds. */
  readonly at: number;
  /** When they deployed the text last, epoch milliseconds: that makes no version where it is the newest. */
  readonly agreedAt: number;
}

/** The version in which a person deployed the text: a proof pins it anew. */
export const textOfVersion = (workflowId: string, version: number) =>
  ({
    where: { workflowId, version: { lte: version }, deployedBy: { not: proofAuthor } },
    orderBy: { version: 'desc' },
  }) as const satisfies Prisma.WorkflowVersionFindFirstArgs;

/** Undefined where there is no such version. Finds those of deleted workflows, too. Rejects with `UnavailableError`. */
export async function deploymentOf(
  { prisma }: Pick<Database, 'prisma'>,
  workflow: string,
  version: number,
): Promise<TextDeployment | undefined> {
  const row = await prisma.workflowVersion.findFirst(textOfVersion(workflow, version));
  if (row === null) return undefined;
  const { deployedBy: by, deployedAt, agreedAt } = row;
  return { by, at: deployedAt.getTime(), agreedAt: (agreedAt ?? deployedAt).getTime() };
}
