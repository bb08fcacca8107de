/**
 * Every test that this machine can run, then the tests and files that took longest, what all processes computed, which is
 * the same beside other work, and one plain line at the end: `N passed, N failed`. Under CI=true a skipped test counts as
 * failed: there, everything must run.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

import { roomForYoung } from '../libs/testing/src/roomForYoung.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const report = join(root, 'node_modules', '.cache', 'tests.json');
mkdirSync(join(report, '..'), { recursive: true });
rmSync(report, { force: true });

const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
const run = spawnSync(
  process.execPath,
  [
    ...roomForYoung,
    vitest,
    'run',
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${report}`,
    ...process.argv.slice(2),
  ],
  { cwd: root, stdio: 'inherit' },
);

let totals;
try {
  totals = JSON.parse(readFileSync(report, 'utf8'));
} catch {
  process.stdout.write('0 passed, 1 failed\n');
  process.exit(run.status || 1);
}

const skipped = totals.testResults.flatMap((file) =>
  file.assertionResults.filter(({ status }) => status !== 'passed' && status !== 'failed').map((test) => test.fullName),
);
for (const name of skipped) process.stdout.write(`skipped: ${name}\n`);

tellLongest(
  'tests',
  totals.testResults.flatMap((file) =>
    file.assertionResults.map((test) => ({
      ms: test.duration ?? 0,
      name: `${relative(root, file.name)} "${test.fullName}"`,
    })),
  ),
);
tellLongest(
  'files',
  totals.testResults.map((file) => ({ ms: file.endTime - file.startTime, name: relative(root, file.name) })),
);

const cpuSeconds = computedSeconds();
if (cpuSeconds !== undefined) process.stdout.write(`\nCPU of all processes: ${cpuSeconds.toFixed(0)} s\n`);

function tellLongest(what, all) {
  const longest = all.toSorted((one, other) => other.ms - one.ms).slice(0, 10);
  process.stdout.write(`\nThe ${what} that took longest:\n`);
  for (const { ms, name } of longest) process.stdout.write(`${(ms / 1_000).toFixed(1).padStart(7)} s  ${name}\n`);
}

/** Of every process that has ended and was waited for, theirs included: proc(5), cutime and cstime. Linux counts it. */
function computedSeconds() {
  try {
    const [, fields = ''] = readFileSync('/proc/self/stat', 'utf8').split(/\) (?=[A-Z] )/);
    const [user, system] = fields.split(' ').slice(13, 15);
    const ticksPerSecond = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));
    return (Number(user) + Number(system)) / ticksPerSecond;
  } catch {
    return undefined;
  }
}

/** What failed outside any test: a file that does not load, a hook that throws, an uncaught error. */
const brokenFiles = totals.testResults.filter(
  (file) => file.status === 'failed' && file.assertionResults.every(({ status }) => status !== 'failed'),
).length;
const strict = process.env.CI === 'true';
const told = totals.numFailedTests + brokenFiles + (strict ? skipped.length : 0);
const failed = told === 0 && run.status !== 0 ? 1 : told;
process.stdout.write(`\n${totals.numPassedTests} passed, ${failed} failed\n`);
process.exit(failed > 0 ? 1 : 0);
