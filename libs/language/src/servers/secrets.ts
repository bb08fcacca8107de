/** Secrets, as far as it is known which are stored. */
import type { CheckRun } from '../check/checkRun.ts';
import type { Problem } from '../problem.ts';
import { quoted } from '../source/excerpt.ts';
import { didYouMean } from '../source/nearest.ts';
import { whyNotUsed } from './secretBinding.ts';

/** A secret may still be set before the first run: a warning. `server`: who is given it. */
export function holdSecret(
  { secrets, report, workflow }: Pick<CheckRun, 'secrets' | 'report' | 'workflow'>,
  name: string,
  at: Pick<Problem, 'pointer' | 'within'>,
  server?: string,
): void {
  if (secrets === undefined) return;
  const binding = secrets.get(name);
  if (binding !== undefined) {
    const use = { workflow: { id: workflow, isDeployed: true }, ...(server === undefined ? {} : { server }) };
    const message = whyNotUsed(name, binding, use);
    const hint = `\`baton secrets set ${name} --workflow … --server …\` says who may use it`;
    if (message !== undefined) report({ code: 'secret-bound-elsewhere', ...at, message, hint });
    return;
  }
  const hint = didYouMean(name, [...secrets.keys()]) ?? `set it with \`baton secrets set ${name}\``;
  report({ code: 'unknown-secret', ...at, message: `No secret ${quoted(name)} is stored yet.`, hint });
}
