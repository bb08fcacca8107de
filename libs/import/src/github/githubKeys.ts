/**
 * The keys of a workflow of GitHub Actions that the importer reads; for any other there is a finding.
 * https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-syntax
 */
const setOf = (words: string): ReadonlySet<string> => new Set(words.split(' '));

export const githubKeys = {
  workflow: setOf('name on true env defaults concurrency jobs permissions'),
  job: setOf(
    'name needs if runs-on environment concurrency outputs env defaults steps timeout-minutes strategy ' +
      'continue-on-error container services uses with secrets permissions',
  ),
  step: setOf('id if name uses run with env continue-on-error timeout-minutes working-directory shell'),
  strategy: setOf('matrix fail-fast max-parallel'),
  concurrency: setOf('group cancel-in-progress'),
  defaults: setOf('run'),
  run: setOf('shell working-directory'),
  dispatch: setOf('inputs'),
  call: setOf('inputs outputs secrets'),
  schedule: setOf('cron timezone'),
  input: setOf('type required default options description deprecationMessage'),
} as const;
