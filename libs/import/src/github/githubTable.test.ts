/**
 * Goal: no construct of GitHub Actions means something else after the import without a finding.
 * Method: each row of the table in docs/importing.md is imported. It gets the finding that the row names, and no other;
 * a construct that means the same gets none, and passes the check.
 */
import { readFileSync } from 'node:fs';

import { checkWorkflow, readForeign } from '@baton/language';
import { expect, test } from 'vitest';

import { importText } from '../importText.ts';
import { rowsOf } from '../testing/tableRows.ts';

const page = readFileSync(new URL('../../../../docs/importing.md', import.meta.url), 'utf8');
const rows = rowsOf(page, '## From GitHub Actions');

/** A workflow that is started by hand, with these jobs or the steps of one job. */
const jobs = (text: string): string => `on: workflow_dispatch\njobs: ${text}\n`;
const steps = (...texts: readonly string[]): string => jobs(`{ a: { steps: [${texts.join(', ')}] } }`);
const run = '{ run: make }';
const matrix = (strategy: string): string => jobs(`{ a: { strategy: { ${strategy} }, steps: [${run}] } }`);

/** By the first cell of a row. */
const constructs: Readonly<Record<string, readonly string[]>> = {
  '`name`': [`name: Every Night\n${steps(run)}`],
  '`on.schedule`': [`on: { schedule: [{ cron: "0 3 * * 1" }] }\njobs: { a: { steps: [${run}] } }`],
  '`on.workflow_dispatch` and `on.workflow_call` with `inputs`, `outputs`': [
    `on: { workflow_dispatch: { inputs: { level: { type: choice, options: [low, high] }, dry: { type: boolean } } } }
jobs: { a: { if: "!inputs.dry", steps: [{ run: "make \${{ inputs.level }}" }] } }`,
    `on: { workflow_call: { inputs: { tag: { type: string } }, outputs: { v: { value: "\${{ jobs.a.outputs.v }}" } } } }
jobs: { a: { outputs: { v: "\${{ steps.b.outputs.v }}" }, steps: [{ id: b, run: make }] } }`,
  ],
  'inputs beside an event or a schedule': [
    `on: { schedule: [{ cron: "0 3 * * 1" }], workflow_dispatch: { inputs: { level: { default: low } } } }
jobs: { a: { steps: [${run}] } }`,
  ],
  'an input of the type `environment`': [
    `on: { workflow_dispatch: { inputs: { where: { type: environment } } } }\njobs: { a: { steps: [${run}] } }`,
  ],
  'an input whose default is computed': [
    `on: { workflow_call: { inputs: { where: { default: "\${{ github.ref }}" } } } }\njobs: { a: { steps: [${run}] } }`,
  ],
  '`on.push`, with `branches`, `tags`': [
    `on: { push: { branches: [main, "release/**", "!release/old"], tags: [v1] } }\njobs: { a: { steps: [${run}] } }`,
  ],
  '`on.pull_request` and other events, with `types`': [
    `on: pull_request\njobs: { a: { steps: [${run}] } }`,
    `on: { issues: { types: [opened] } }\njobs: { a: { steps: [${run}] } }`,
  ],
  '`branches-ignore`, `tags-ignore`, `paths`, `paths-ignore`': [
    `on: { push: { paths: [src] } }\njobs: { a: { steps: [${run}] } }`,
    `on: { pull_request: { branches-ignore: [x] } }\njobs: { a: { steps: [${run}] } }`,
  ],
  '`workflow_run`, `repository_dispatch`, `merge_group`': [
    `on: [workflow_dispatch, repository_dispatch]\njobs: { a: { steps: [${run}] } }`,
  ],
  '`permissions`, `run-name`, any other key': [
    `permissions: read-all\n${steps(run)}`,
    jobs(`{ a: { permissions: { contents: read }, steps: [${run}] } }`),
    `run-name: night\n${steps(run)}`,
    steps('{ run: make, retries: 3 }'),
    matrix('matrix: { v: [1] }, mode: fast'),
    `defaults: { uses: { x: 1 } }\n${steps(run)}`,
  ],
  '`env` of workflow, job and step': [
    `env: { A: a }\n${jobs('{ a: { env: { B: 2 }, steps: [{ run: "make ${{ env.A }}", env: { C: "${{ env.B }}" } }] } }')}`,
  ],
  '`defaults.run`': [`defaults: { run: { shell: bash, working-directory: app } }\n${steps(run)}`],
  '`concurrency` with `cancel-in-progress: true`': [
    `concurrency: { group: "\${{ github.workflow }}", cancel-in-progress: true }\n${steps(run)}`,
  ],
  '`concurrency` without it': [`concurrency: "\${{ github.workflow }}"\n${steps(run)}`],
  'a group without `github.workflow`': [`concurrency: { group: one, cancel-in-progress: true }\n${steps(run)}`],
  'a computed `cancel-in-progress`': [
    `concurrency: { group: "\${{ github.workflow }}", cancel-in-progress: "\${{ inputs.x }}" }\n${steps(run)}`,
  ],
  '`concurrency` of a job': [jobs(`{ a: { concurrency: one, steps: [${run}] } }`)],
  'jobs with `needs`': [
    jobs(
      `{ a: { if: "1 == 1", steps: [${run}] }, b: { needs: a, steps: [${run}] }, c: { needs: [a, b], steps: [${run}] } }`,
    ),
  ],
  'jobs beside each other': [jobs(`{ a: { steps: [${run}] }, b: { steps: [${run}] } }`)],
  'a job with `if: always()`, `failure()`, `cancelled()`': [
    jobs(
      `{ a: { steps: [${run}] }, b: { needs: a, if: always(), steps: [${run}] }, c: { needs: b, steps: [${run}] } }`,
    ),
    jobs(`{ a: { steps: [${run}] }, b: { needs: a, if: "failure() || cancelled()", steps: [${run}] } }`),
  ],
  '`needs.build.result`, `steps.scan.outcome`': [
    jobs(`{ a: { steps: [{ id: x, run: make, continue-on-error: true }, { if: "steps.x.outcome == 'failure'", run: tell }] },
 b: { needs: a, if: "always() && needs.a.result != 'success'", steps: [{ run: "tell \${{ needs.a.result }}" }] } }`),
  ],
  '`outputs` of a job': [
    jobs(`{ a: { outputs: { v: "\${{ steps.x.outputs.v }}" }, steps: [{ id: x, run: make }] },
 b: { needs: a, steps: [{ run: "use \${{ needs.a.outputs.v }}" }] } }`),
  ],
  '`runs-on`': [jobs(`{ a: { runs-on: ubuntu-latest, steps: [${run}] } }`)],
  '`container`, `services`, `environment`': ['container: node', 'services: {}', 'environment: live'].map((one) =>
    jobs(`{ a: { ${one}, steps: [${run}] } }`),
  ),
  '`strategy.matrix`, with `include`, `exclude`, `max-parallel`': [
    matrix(
      'max-parallel: 2, matrix: { os: [a, b], v: [1, 2], exclude: [{ os: b, v: 1 }], include: [{ os: c, v: 3 }] }',
    ),
    jobs(
      `{ a: { strategy: { matrix: { v: "\${{ fromJSON(inputs.list) }}" } }, steps: [{ run: "\${{ matrix.v }}" }] } }`,
    ).replace('on: workflow_dispatch', 'on: { workflow_dispatch: { inputs: { list: { required: true } } } }'),
  ],
  '`fail-fast: false`': [matrix('fail-fast: false, matrix: { v: [1, 2] }')],
  'a computed `fail-fast` or `max-parallel`': [
    matrix('fail-fast: "${{ inputs.x }}", matrix: { v: [1, 2] }'),
    matrix('max-parallel: "${{ inputs.x }}", matrix: { v: [1, 2] }'),
  ],
  'a computed axis beside others': [matrix('matrix: { v: "${{ fromJSON(inputs.x) }}", os: [a, b] }')],
  'a job that `uses` a workflow, with `strategy` too': [
    jobs('{ a: { uses: ./.github/workflows/b.yml } }'),
    jobs(
      '{ a: { strategy: { matrix: { v: [1, 2] } }, uses: ./.github/workflows/b.yml, with: { v: "${{ matrix.v }}" } } }',
    ),
  ],
  '`secrets` that a called workflow gets': [
    jobs('{ a: { uses: ./.github/workflows/b.yml, secrets: inherit } }'),
    `on: { workflow_call: { secrets: { KEY: { required: true } } } }\njobs: { a: { steps: [${run}] } }`,
  ],
  '`run`, `shell`, `working-directory`': [steps('{ run: make, shell: bash, working-directory: app }')],
  'a `run` that is one `curl --fail`, without variables of the shell, pipes and files': [
    steps(`{ run: "curl -sSf https://a.test/x?b=1" }`),
    steps(`{ run: "curl -f -X POST -H 'x-a: b' -d '{}' https://a.test" }`),
  ],
  'the same without `--fail`': [steps('{ run: "curl https://a.test" }')],
  'a `run` that writes to `$GITHUB_OUTPUT`': [
    steps('{ id: a, run: "echo v=1 >> $GITHUB_OUTPUT" }'),
    steps('{ id: a, run: "echo ::set-output name=v::1" }'),
    steps('{ id: a, run: "echo v=1 >> $env:GITHUB_OUTPUT", shell: pwsh }'),
  ],
  'a `run` that writes to `$GITHUB_ENV`, `$GITHUB_PATH`': [
    steps('{ run: "echo V=1 >> $GITHUB_ENV" }'),
    steps('{ run: "echo bin >> $GITHUB_PATH" }'),
  ],
  'a `run` that writes to `$GITHUB_STEP_SUMMARY`, `::error::`': [
    steps('{ run: "echo done >> $GITHUB_STEP_SUMMARY" }'),
    steps('{ run: "echo ::error file=a::wrong" }'),
  ],
  '`uses: owner/name@v1`': [steps('{ uses: acme/notify@v2, with: { text: a } }')],
  '`actions/setup-*`, `actions/cache`': [steps('{ uses: actions/setup-node@v4 }', run)],
  'a step with `if: always()`, `failure()` after the others': [
    steps(run, '{ run: clean, if: always() }', '{ run: tell, if: failure() }'),
  ],
  'such a step before others': [steps('{ run: clean, if: always() }', run)],
  '`continue-on-error: true`': [
    steps('{ run: make, continue-on-error: true }'),
    jobs(`{ a: { continue-on-error: true, steps: [${run}] } }`),
  ],
  'a computed `continue-on-error`': [
    steps('{ run: make, continue-on-error: "${{ inputs.x }}" }'),
    jobs(`{ a: { continue-on-error: "\${{ inputs.x }}", steps: [${run}] } }`),
  ],
  '`timeout-minutes`': [steps('{ run: make, timeout-minutes: 5 }', '{ run: make, timeout-minutes: 0.5 }')],
  'a computed `timeout-minutes`': [steps('{ run: make, timeout-minutes: "${{ inputs.x }}" }')],
  '`==` and `!=` between texts': [steps(`{ run: make, if: "inputs.x != 'Main'" }`)],
  '`==` between a text and a number': [
    matrix('matrix: { v: [20] }').replace('{ run: make }', `{ run: make, if: "matrix.v == '20'" }`),
  ],
  '`contains`, `startsWith`, `endsWith`': [
    steps(`{ run: make, if: "contains(inputs.x, 'Wip') && !startsWith(inputs.x, '1')" }`),
  ],
  "`a \\|\\| 'b'`, `a && 'b' \\|\\| 'c'`, `format`, `join`, `toJSON`, `fromJSON`": [
    steps(
      `{ run: "\${{ inputs.x || 'b' }} \${{ inputs.y && 'b' || 'c' }} \${{ format('{{{0}}}', inputs.x) }} \${{ toJSON(fromJSON('[1]')) }}" }`,
    ),
  ],
  '`github.event`, `github.ref`, `github.sha` where only events start it': [
    `on: [push, pull_request]\njobs: { a: { steps: [{ run: "\${{ github.ref }} \${{ github.sha }} \${{ github.event.repository.name }}" }] } }`,
  ],
  'the same where something else starts it too': [
    `on: [push, workflow_dispatch]\njobs: { a: { steps: [{ run: "\${{ github.sha }}" }] } }`,
  ],
  '`github.event_name`, `github.workflow`, `github.job`': [
    steps(`{ run: "\${{ github.workflow }} \${{ github.job }}", if: "github.event_name == 'schedule'" }`),
  ],
  '`github.run_number`': [steps('{ run: "${{ github.run_number }}" }')],
  '`vars.NAME`, `github.repository` without an event': [
    steps('{ run: "${{ vars.NAME }}" }'),
    steps('{ run: "${{ github.repository }}" }'),
  ],
  '`secrets.GITHUB_TOKEN`, `github.token`': [
    steps('{ uses: acme/x@v1, with: { token: "${{ secrets.GITHUB_TOKEN }}" } }'),
    steps('{ uses: acme/x@v1, with: { token: "${{ github.token }}" } }'),
  ],
  '`hashFiles`, `runner.os`, `env.NAME` that a step sets': [
    steps(`{ run: "\${{ hashFiles('x') }}" }`),
    steps('{ run: "${{ runner.os }}" }'),
    steps('{ run: "${{ env.NAME }}" }'),
  ],
};

test('the table in the docs has a row for each construct that is imported here', () => {
  expect(rows.map(({ construct }) => construct)).toEqual(Object.keys(constructs));
});

/** In a webhook's own row, and beside every other event. */
const isSetUp = (message: string): boolean => message.startsWith('GitHub has to send its events');

test.each(
  rows.flatMap(({ construct, finding }) =>
    (constructs[construct] ?? []).map((text) => [construct, finding, text] as const),
  ),
)('%s gets the finding "%s"', (_, finding, text) => {
  const declared = /inputs\.[xy]/.test(text)
    ? text.replace('on: workflow_dispatch', 'on: { workflow_dispatch: { inputs: { x: {}, y: { type: boolean } } } }')
    : text;
  const foreign = readForeign(declared);
  const { source, findings } = importText(foreign, 'github', 'file');
  const others = findings.filter(
    ({ code, message }) =>
      code !== 'tool-needed' &&
      code !== 'host-needed' &&
      code !== 'input-in-command' &&
      !(isSetUp(message) && !finding.includes('has to')),
  );
  expect([...new Set(others.map(({ code }) => code))]).toEqual(finding === '' ? [] : [finding.split(':')[0]]);
  const errors = checkWorkflow(source).findings.filter(({ severity }) => severity === 'error');
  const isImported = finding !== 'expression-not-imported';
  expect(errors.filter(({ message }) => isImported || !message.includes('notImported'))).toEqual([]);
  expect(errors.length > 0).toBe(!isImported);
});
