/**
 * A reporter for Vitest: ends the run when a failed test was reported. `--bail` ends it earlier, when a worker knows of
 * the failure and the report may not: then the report names no test.
 */
import type { Reporter, TestCase, Vitest } from 'vitest/node';

// oxlint-disable-next-line import/no-default-export -- Vitest looks for it in a reporter.
export default class FirstFailure implements Reporter {
  #vitest: Vitest | undefined;

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  onTestCaseResult(test: TestCase): void {
    // Not awaited: the run waits for its reporters.
    if (test.result().state === 'failed') void this.#vitest?.cancelCurrentRun('test-failure');
  }
}
