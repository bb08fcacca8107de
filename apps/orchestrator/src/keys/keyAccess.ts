/** Which workflows a key has to do with. */
import type { Principal } from './scopes.ts';

/** Whether the key has anything to do with the workflow. What it does not reach is not there for it. */
export const reaches = ({ workflows }: Pick<Principal, 'workflows'>, workflow: string): boolean =>
  workflows?.has(workflow) ?? true;
