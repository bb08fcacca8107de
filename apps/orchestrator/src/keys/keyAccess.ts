/** Which workflows a key may see. */
import type { Principal } from './scopes.ts';
import { may } from './scopes.ts';

/** Whether the key may see the workflow. Other workflows do not exist for it. */
export const maySee = ({ workflows }: Pick<Principal, 'workflows'>, workflow: string): boolean =>
  workflows?.has(workflow) ?? true;

/**
 * Whether the key may read the runs of all workflows. Only such a key is shown the words of a server's process, its
 * stderr and its errors: they can repeat the arguments of any run.
 */
export const readsAllRuns = (principal: Principal): boolean =>
  principal.workflows === undefined && may(principal, ['runs:read']);
