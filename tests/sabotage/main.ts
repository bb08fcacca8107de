/**
 * Switches each safeguard off, one at a time, in a copy of the repository, runs the tests that are named for it, and
 * tells which safeguards no test misses: `npm run sabotage`, or `npm run sabotage -- WORDS…` for those whose name or
 * file has one of the words. Exits with 1 where there is a survivor, with 2 where a test fails with all of them on.
 */
import { parseArgs } from 'node:util';

import { copyCheckout } from './checkout.ts';
import { mutations } from './mutations.ts';
import { type Outcome, outcomeOf } from './outcome.ts';

// Refuses options: a mistyped one would try all of them.
const words = parseArgs({ allowPositionals: true }).positionals.map((word) => word.toLowerCase());
const chosen = mutations.filter(({ safeguard, file }) =>
  words.length === 0 ? true : words.some((word) => `${safeguard} ${file}`.toLowerCase().includes(word)),
);
/** Of these nothing can be said; all of them, if the tests did not run through. */
function redFiles(clean: Outcome, named: readonly string[]): readonly string[] {
  if (clean.status === 'failed') return clean.files;
  return clean.status === 'passed' ? [] : named;
}

const say = (text: string): void => void process.stdout.write(`${text}\n`);

const checkout = await copyCheckout();
process.once('SIGINT', () => void checkout.remove().then(() => process.exit(130)));
try {
  const named = [...new Set(chosen.flatMap(({ shownBy }) => shownBy))];
  say(`${chosen.length} safeguards, shown by ${named.length} test files; first with all of them on`);
  const clean = await outcomeOf(checkout.folder, named, { untilFirst: false });
  const red = redFiles(clean, named);
  if (red.length > 0) say(`With every safeguard on: ${clean.status}. Of these nothing can be said: ${red.join(', ')}`);
  if (clean.status === 'failed') say(`          by: ${clean.by}`);
  const tested = chosen.filter(({ shownBy }) => shownBy.every((file) => !red.includes(file)));
  const survivors: string[] = [];
  for (const mutation of tested) {
    const restore = await checkout.mutate(mutation);
    const outcome = await outcomeOf(checkout.folder, mutation.shownBy, { untilFirst: true });
    await restore();
    const isNoticed = outcome.status === 'failed' || outcome.status === 'hung';
    if (!isNoticed) survivors.push(`${mutation.safeguard}: ${outcome.status}`);
    say(`${isNoticed ? 'noticed ' : 'SURVIVED'}  ${mutation.safeguard}`);
    if (outcome.status === 'failed') say(`          by: ${outcome.by}`);
  }
  const untold = chosen.length - tested.length;
  say(`\n${tested.length - survivors.length} noticed, ${survivors.length} survived, ${untold} not tried`);
  for (const survivor of survivors) say(`  ${survivor}`);
  if (survivors.length > 0) process.exitCode = 1;
  if (untold > 0) process.exitCode = 2;
} finally {
  await checkout.remove();
}
