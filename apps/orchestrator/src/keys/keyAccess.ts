/** Which workflows a key may see. */
import type { Principal } from './scopes.ts';

/** Whether the key may see the workflow. Other workflows do not exist for it. */
export const reaches = ({ workflows }: Pick<Principal, 'workflows'>, workflow: string): boolean =>
  workflows?.has(workflow) ?? true;
