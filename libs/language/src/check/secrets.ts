/** Checks references to secrets, if the stored ones are known. */
import { quoted, didYouMean } from '@baton/expressions';

import type { Problem } from '../problem.ts';
import { whyNotUsed } from '../servers/secretBinding.ts';
import type { CheckRun } from './checkRun.ts';

export const hookSecretHint = (name: string): string =>
  `give the webhook a secret of its own, or bind this one to its workflows: \`baton secrets set ${name} --workflow …\``;

/** A secret that a tool of another workflow gets would sign no webhook: that tool could start runs. */
export function checkHookSecret(checking: CheckRun, name: string, at: Pick<Problem, 'pointer'>): void {
  if (checking.toolSecrets?.has(name) !== true) return checkSecretReference(checking, name, at);
  const message = `A deployed workflow gives the secret ${quoted(name)} to a tool, which could sign deliveries.`;
  checking.report({ code: 'secret-of-webhook', ...at, message, hint: hookSecretHint(name) });
}

/** A missing secret is only a warning, since it may be set before the first run. `server`: the receiver. */
export function checkSecretReference(
  { secrets, report, workflow }: Pick<CheckRun, 'secrets' | 'report' | 'workflow'>,
  name: string,
  at: Pick<Problem, 'pointer' | 'within'>,
  server?: string,
): void {
  if (secrets === undefined) return;
  const use = { workflow: { id: workflow, isDeployed: true }, ...(server === undefined ? {} : { server }) };
  const binding = secrets.get(name);
  if (binding !== undefined) {
    const message = whyNotUsed(name, binding, use);
    const hint = `\`baton secrets set ${name} --workflow … --server …\` says who may use it, and \`baton secrets ls\` shows it`;
    if (message !== undefined) report({ code: 'secret-bound-elsewhere', ...at, message, hint });
    return;
  }
  const usable = [...secrets].filter(([other, bound]) => whyNotUsed(other, bound, use) === undefined);
  const names = usable.map(([other]) => other);
  const hint = didYouMean(name, names) ?? `set it with \`baton secrets set ${name}\``;
  report({ code: 'unknown-secret', ...at, message: `No secret ${quoted(name)} is stored yet.`, hint });
}
