/** Secrets, as far as it is known which are stored. */
import type { CheckRun } from '../check/scope.ts';
import type { Problem } from '../problem.ts';
import { quoted } from '../source/excerpt.ts';
import { didYouMean } from '../source/nearest.ts';

/** A secret may still be set before the first run: a warning. */
export function holdSecret(
  { secrets, report }: Pick<CheckRun, 'secrets' | 'report'>,
  name: string,
  at: Pick<Problem, 'pointer' | 'within'>,
): void {
  if (secrets === undefined || secrets.has(name)) return;
  const hint = didYouMean(name, [...secrets]) ?? `set it with \`baton secrets set ${name}\``;
  report({ code: 'unknown-secret', ...at, message: `No secret ${quoted(name)} is stored yet.`, hint });
}
