import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm } from 'node:fs/promises';
import { join, relative } from 'node:path';

/** Longer than any of the files takes on a loaded machine: who hangs has noticed. */
const patienceMs = 900_000;

interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
}

/**
 * `failed`: a test noticed; `by` is its name, and `files` are those that failed, from the root.
 * `unclear`: the run failed and no test did, or there is no report. A file could not be loaded or prepared (its `beforeAll` failed), or an error
 * came from outside of the tests: that says nothing.
 */
export type Outcome =
  | { readonly status: 'passed' | 'hung' | 'unclear' }
  | { readonly status: 'failed'; readonly by: string; readonly files: readonly string[] };

/** Runs these test files in `folder`; with `untilFirst`, only until a test fails. */
export async function outcomeOf(
  folder: string,
  files: readonly string[],
  { untilFirst }: { readonly untilFirst: boolean },
): Promise<Outcome> {
  const report = join(folder, 'sabotage.json');
  await rm(report, { force: true });
  const vitest = join('node_modules', 'vitest', 'vitest.mjs');
  const bail = untilFirst ? ['--reporter=./tests/sabotage/firstFailure.ts'] : [];
  const args = [vitest, 'run', '--reporter=json', `--outputFile.json=${report}`, ...bail, ...files];
  const child = spawn(process.execPath, args, {
    cwd: folder,
    stdio: 'ignore',
    env: { ...process.env, BATON_TEST_PATIENCE: '1' },
  });
  const timer = setTimeout(() => child.kill('SIGTERM'), patienceMs);
  const [code] = (await once(child, 'exit')) as [number | null];
  clearTimeout(timer);
  if (code === 0) return { status: 'passed' };
  if (code === null) return { status: 'hung' };
  const text = await readFile(report, 'utf8').catch(() => undefined);
  if (text === undefined) return { status: 'unclear' };
  const { testResults } = JSON.parse(text) as Report;
  const [first] = testResults.flatMap(({ assertionResults }) =>
    assertionResults.filter(({ status }) => status === 'failed'),
  );
  if (first === undefined) return { status: 'unclear' };
  return {
    status: 'failed',
    by: first.fullName,
    files: testResults.filter(({ status }) => status === 'failed').map(({ name }) => relative(folder, name)),
  };
}
