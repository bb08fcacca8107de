import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** Longer than any of the files takes on a loaded machine: who hangs has noticed. */
const patienceMs = 900_000;

interface Report {
  readonly numFailedTests: number;
  readonly testResults: readonly { readonly assertionResults: readonly unknown[] }[];
}

/** `unloadable`: a test file could not even be loaded, so that it says nothing. */
export type Outcome = 'passed' | 'failed' | 'hung' | 'unloadable';

/** Runs these test files in `folder`. */
export async function outcomeOf(folder: string, files: readonly string[]): Promise<Outcome> {
  const report = join(folder, 'sabotage.json');
  await rm(report, { force: true });
  const vitest = join('node_modules', 'vitest', 'vitest.mjs');
  const args = [vitest, 'run', '--reporter=json', `--outputFile=${report}`, ...files];
  const child = spawn(process.execPath, args, { cwd: folder, stdio: 'ignore' });
  const timer = setTimeout(() => child.kill('SIGTERM'), patienceMs);
  const [code] = (await once(child, 'exit')) as [number | null];
  clearTimeout(timer);
  if (code === 0) return 'passed';
  if (code === null) return 'hung';
  const { numFailedTests, testResults } = JSON.parse(await readFile(report, 'utf8')) as Report;
  const isLoaded = testResults.every(({ assertionResults }) => assertionResults.length > 0);
  return numFailedTests > 0 || isLoaded ? 'failed' : 'unloadable';
}
