/**
 * Switches each safeguard off, one at a time, in a copy of the repository, runs the tests that are named for it, and
 * tells which safeguards no test misses: `npm run sabotage`, or `npm run sabotage -- WORDS…` for those whose name or
 * file has one of the words. Exits with 1 where there is a survivor.
 */
import { copyCheckout } from './checkout.ts';
import { mutations } from './mutations.ts';
import { outcomeOf } from './outcome.ts';

const words = process.argv.slice(2).map((word) => word.toLowerCase());
const chosen = mutations.filter(({ safeguard, file }) =>
  words.length === 0 ? true : words.some((word) => `${safeguard} ${file}`.toLowerCase().includes(word)),
);
const say = (text: string): void => void process.stdout.write(`${text}\n`);

const checkout = await copyCheckout();
process.once('SIGINT', () => void checkout.remove().then(() => process.exit(130)));
try {
  const named = [...new Set(chosen.flatMap(({ shownBy }) => shownBy))];
  say(`${chosen.length} safeguards, shown by ${named.length} test files; first with all of them on`);
  const clean = await outcomeOf(checkout.folder, named);
  if (clean !== 'passed') {
    say(`With every safeguard on: ${clean}. Nothing can be said.`);
    process.exitCode = 2;
  } else {
    const survivors: string[] = [];
    for (const mutation of chosen) {
      const restore = await checkout.mutate(mutation);
      const outcome = await outcomeOf(checkout.folder, mutation.shownBy);
      await restore();
      const isNoticed = outcome === 'failed' || outcome === 'hung';
      if (!isNoticed) survivors.push(`${mutation.safeguard}: ${outcome}`);
      say(`${isNoticed ? 'noticed ' : 'SURVIVED'}  ${mutation.safeguard}`);
    }
    say(`\n${chosen.length - survivors.length} noticed, ${survivors.length} survived`);
    for (const survivor of survivors) say(`  ${survivor}`);
    process.exitCode = survivors.length > 0 ? 1 : 0;
  }
} finally {
  await checkout.remove();
}
