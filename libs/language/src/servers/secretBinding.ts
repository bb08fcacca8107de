/** Which workflows may use a secret, and which servers may get it. */
import { quoted } from '@baton/expressions';

import { matchesWorkflow } from '../document/workflowNames.ts';

export interface SecretBinding {
  /** Patterns of the deployed workflows that may use it; absent: all, including inline ones. */
  readonly workflows?: readonly string[];
  /** The servers, `models/PROVIDER` and `callbacks/HOST` that may get it or use it for signatures; absent: all. */
  readonly servers?: readonly string[];
}

/** Absent: not by a workflow, or to no server. */
export interface SecretUse {
  /** `isDeployed`: false for an inline workflow, which chooses its own name. */
  readonly workflow?: { readonly id: string; readonly isDeployed: boolean };
  /** As in `SecretBinding`. */
  readonly server?: string;
}

/** Whether the secret exists for the workflow: for others it is as if it was not stored. */
export const isSecretOf = ({ workflows }: SecretBinding, workflow: string): boolean =>
  workflows === undefined || matchesWorkflow(workflows, workflow);

/** A sentence: why this use of a secret that exists for the workflow is not allowed. Undefined: it is allowed. */
export function whyNotUsed(name: string, { workflows, servers }: SecretBinding, use: SecretUse): string | undefined {
  const { workflow, server } = use;
  if (workflows !== undefined && workflow?.isDeployed === false)
    return `The secret ${quoted(name)} is bound to deployed workflows, and this workflow is not deployed.`;
  if (servers === undefined || server === undefined || servers.includes(server)) return undefined;
  return `The secret ${quoted(name)} is bound to ${listed(servers)}, and not to ${quoted(server)}.`;
}

const shownMax = 5;

function listed(servers: readonly string[]): string {
  if (servers.length === 0) return 'no server';
  const more = servers.length > shownMax ? ` and ${servers.length - shownMax} more` : '';
  return `the server${servers.length > 1 ? 's' : ''} ${servers.slice(0, shownMax).map(quoted).join(', ')}${more}`;
}
