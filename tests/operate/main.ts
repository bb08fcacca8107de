/**
 * `npm run operate:test [-- WORDS]`: Baton on servers of Debian's packages, which it starts on loopback. It tries the rows
 * whose names have the words, and says for each what was seen. A row that this machine cannot try is named, with the
 * programs that are missing, and fails the whole. `--write` writes what was seen into the table of docs/deployment.md.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { Debian, programPath } from './debian.ts';
import { tried } from './rows.ts';

const page = fileURLToPath(new URL('../../docs/deployment.md', import.meta.url));
const args = process.argv.slice(2);
const words = args.filter((arg) => arg !== '--write').map((word) => word.toLowerCase());
const chosen = tried.filter(({ on }) => words.every((word) => on.toLowerCase().includes(word)));
const debian = new Debian();
const seen: string[] = [];
const missed: string[] = [];
try {
  for (const { on, needs, attempt } of chosen) {
    const missing = needs.filter((name) => programPath(name) === undefined);
    if (missing.length > 0) {
      missed.push(`${on}: this machine has no ${missing.join(', ')}`);
      process.stdout.write(`– ${missed.at(-1)}\n`);
      continue;
    }
    const told = await attempt(debian).then(
      (result) => ({ mark: '✓', result }),
      (error: unknown) => ({ mark: '✗', result: error instanceof Error ? error.message : String(error) }),
    );
    if (told.mark === '✗') process.exitCode = 1;
    else seen.push(`| ${on} | ${told.result} |`);
    process.stdout.write(`${told.mark} ${on}: ${told.result}\n`);
  }
} finally {
  await debian.stopAll();
}
if (missed.length > 0) {
  process.stdout.write(`\nNot tried, because servers are missing here:\n${missed.map((one) => `  ${one}\n`).join('')}`);
  process.exitCode ??= 1;
}
if (args.includes('--write') && process.exitCode === undefined) {
  const [begin, end] = ['<!-- tried on -->\n', '<!-- /tried on -->'];
  const text = readFileSync(page, 'utf8');
  const [before = '', rest = ''] = text.split(begin);
  const [table = '', after = ''] = rest.split(end);
  // A row that was not tried now keeps what it has.
  const lines = new Map([...table.split('\n'), ...seen].map((line) => [line.split(' | ')[0], line]));
  const written = tried.flatMap(({ on }) => lines.get(`| ${on}`) ?? []);
  writeFileSync(page, `${before}${begin}\n| on | seen |\n| --- | --- |\n${written.join('\n')}\n\n${end}${after}`);
}
