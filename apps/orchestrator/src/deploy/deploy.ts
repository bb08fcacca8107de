import type { Finding } from '@baton/language';
import type { Definition, Store } from '@baton/store';
import { definitionOf, deployWorkflow, ReplacedError } from '@baton/store';

import type { Precondition } from '../http/preconditions.ts';
import { etagOf, preconditionFailed } from '../http/preconditions.ts';
import { ProblemError } from '../http/problem.ts';
import { reaches } from '../keys/reach.ts';
import type { Principal } from '../keys/scopes.ts';
import type { Checker } from './checker.ts';
import { standingIn } from './standing.ts';

export interface WorkflowText {
  readonly format: Definition['format'];
  readonly text: string;
}

export interface DeployResult {
  readonly id: string;
  readonly version: number;
  readonly digest: string;
  readonly isNew: boolean;
  /** Warnings. */
  readonly findings: readonly Finding[];
}

/** Checks, and makes the next version where the content is new. Rejects with `ProblemError` and `UnavailableError`. */
export async function deploy(
  { store, checker }: { readonly store: Store; readonly checker: Checker },
  { format, text }: WorkflowText,
  principal: Principal,
  precondition?: Precondition,
): Promise<DeployResult> {
  const { id, title, description, findings, pins } = await checker.deployable(text, standingIn(store));
  if (!reaches(principal, id)) throw new ProblemError('forbidden', `This key has nothing to do with ${id}.`);
  const definition = definitionOf(text, format, pins);
  const deployed = await deployWorkflow(store, {
    workflow: id,
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    definition,
    findings: findings.map((finding) => ({ ...finding })),
    by: principal.by,
    ...(precondition && { mayReplace: (newest) => precondition(tagOf(newest)) }),
  }).catch((error: unknown) => {
    throw error instanceof ReplacedError ? preconditionFailed(tagOf(error.newest)) : error;
  });
  return { id, ...deployed, digest: definition.digest, findings };
}

const tagOf = (version: number | undefined): string | undefined =>
  version === undefined ? undefined : etagOf(version);
