/** Which workflows may use a secret, and which servers may get it. */
import { quoted } from '../source/excerpt.ts';

export interface SecretBinding {
  /** Ids of the deployed workflows that may use it; absent: all, including inline ones. */
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

/** A sentence: why this use is not allowed. Undefined: it is allowed. */
export function whyNotUsed(name: string, { workflows, servers }: SecretBinding, use: SecretUse): string | undefined {
  const { workflow, server } = use;
  if (workflows !== undefined && workflow !== undefined) {
    if (!workflow.isDeployed)
      return `The secret ${quoted(name)} is bound to ${listed('workflow', workflows)}, and this workflow is not deployed.`;
    if (!workflows.includes(workflow.id))
      return `The secret ${quoted(name)} is bound to ${listed('workflow', workflows)}, and not to ${quoted(workflow.id)}.`;
  }
  if (servers === undefined || server === undefined || servers.includes(server)) return undefined;
  return `The secret ${quoted(name)} is bound to ${listed('server', servers)}, and not to ${quoted(server)}.`;
}

const shownMax = 5;

function listed(what: string, names: readonly string[]): string {
  if (names.length === 0) return `no ${what}`;
  const more = names.length > shownMax ? ` and ${names.length - shownMax} more` : '';
  return `the ${what}${names.length > 1 ? 's' : ''} ${names.slice(0, shownMax).map(quoted).join(', ')}${more}`;
}
