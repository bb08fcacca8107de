import { checkWorkflow, readForeign } from '@baton/language';
import { describe, expect, test } from 'vitest';

import { type ImportedText, importText, systemOf } from '../importText.ts';

function imported(text: string): ImportedText & { readonly errors: readonly string[] } {
  const foreign = readForeign(text);
  expect(systemOf(foreign)).toBe('github');
  const made = importText(foreign, 'github', 'nightly');
  const errors = checkWorkflow(made.source).findings.filter(({ severity }) => severity === 'error');
  return { ...made, errors: errors.map(({ message }) => message) };
}

describe('a workflow of GitHub Actions', () => {
  test('of one job keeps its triggers, inputs and steps, and what runs at the end', () => {
    const { workflow, errors, findings, servers } = imported(`
name: Nightly check
on:
  schedule: [{ cron: '0 3 * * *' }]
  workflow_dispatch:
    inputs:
      level: { type: choice, options: [low, high], default: low }
      dry-run: { type: boolean }
  push: { branches: [main, 'release/**'] }
env: { REGION: eu }
concurrency: { group: nightly, cancel-in-progress: true }
jobs:
  check:
    runs-on: ubuntu-latest
    timeout-minutes: 30
    steps:
      - uses: actions/checkout@v4
        with: { ref: '\${{ github.ref }}' }
      - uses: actions/setup-node@v4
      - id: scan
        run: ./scan --level \${{ inputs.level }} --in \${{ env.REGION }}
        continue-on-error: true
      - name: Tell
        if: steps.scan.outcome == 'failure' && !inputs.dry-run
        uses: acme/notify@v2
        with: { token: '\${{ secrets.NOTIFY }}', text: "\${{ format('{0} found', steps.scan.outputs.count) }}" }
      - if: always()
        run: ./clean
`);
    expect(errors).toEqual([]);
    expect(workflow).toMatchObject({
      workflow: 'nightly-check',
      title: 'Nightly check',
      on: [
        { schedule: '0 3 * * *' },
        {
          webhook: 'github',
          scheme: 'github',
          if: '(event.headers["x-github-event"] == "push" && event.body.?deleted.orValue(false) != true && matches(event.body.ref, "^(refs/heads/main|refs/heads/release/.*)$"))',
        },
      ],
      inputs: {
        event: { type: 'object', optional: true },
        level: { type: 'string', enum: ['low', 'high'], default: 'low' },
        dry_run: { type: 'boolean', default: false },
      },
      concurrency: { key: 'nightly', whenFull: 'replace' },
      timeout: '30m',
      steps: [
        { id: 'checkout', tool: 'actions/checkout', with: { ref: '${{ inputs.event.ref }}' } },
        {
          id: 'scan',
          tool: 'shell/run',
          with: { command: './scan --level ${{ inputs.level }} --in ${{ "eu" }}', env: { REGION: 'eu' } },
          onError: 'ignore',
        },
        {
          id: 'tell',
          if: 'steps.?scan.?status.orValue("skipped") == "failed" && !inputs.dry_run',
          tool: 'acme/notify',
          with: { token: '${{ secrets.NOTIFY }}', text: '${{ string(steps.?scan.?output.?count) + " found" }}' },
        },
      ],
      finally: [{ tool: 'shell/run', with: { command: './clean' } }],
    });
    expect([...servers.keys()]).toEqual(['actions', 'shell', 'acme']);
    expect(findings.map(({ code, line }) => [code, line])).toEqual([
      ['differs', 7],
      ['differs', 9],
      ['differs', 11],
      ['differs', 14],
      ['tool-needed', 17],
      ['differs', 18],
      ['left-out', 19],
      ['tool-needed', 21],
      ['tool-needed', 25],
    ]);
  });

  test('of several jobs is a graph of groups, with loops over a matrix and outputs between them', () => {
    const { workflow, errors } = imported(`
on: workflow_call
jobs:
  deploy:
    needs: [build, test]
    if: github.run_id != ''
    uses: ./.github/workflows/deploy.yaml
    with: { tag: '\${{ needs.build.outputs.tag }}' }
  test:
    needs: build
    strategy:
      max-parallel: 2
      matrix:
        os: [linux, mac]
        node: [22, 24]
        exclude: [{ os: mac, node: 22 }]
        include: [{ os: linux, node: 24, extra: true }, { os: windows, node: 24 }]
    steps: [{ run: 'npm test -- \${{ matrix.os }}-\${{ matrix.node }}' }]
  build:
    outputs: { tag: '\${{ steps.tag.outputs.name }}' }
    steps: [{ id: tag, run: ./tag }]
`);
    expect(errors).toEqual([]);
    expect(workflow['workflow']).toBe('nightly');
    expect(workflow['steps']).toMatchObject([
      {
        parallel: [
          { id: 'build', steps: [{ id: 'tag', tool: 'shell/run' }] },
          {
            id: 'test',
            needs: ['build'],
            as: 'matrix',
            maxParallel: 2,
            forEach: [
              { os: 'linux', node: 22 },
              { os: 'linux', node: 24, extra: true },
              { os: 'mac', node: 24 },
              { os: 'windows', node: 24 },
            ],
            steps: [{ with: { command: 'npm test -- ${{ matrix.os }}-${{ matrix.node }}' } }],
          },
          { id: 'deploy', needs: ['build', 'test'], workflow: 'deploy', with: { tag: '${{ steps.tag.output.name }}' } },
        ],
      },
    ]);
  });

  test('has no loop over more jobs than GitHub would start', () => {
    const axes = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((name) => `${name}: [1, 2, 3, 4, 5, 6, 7, 8, 9]`);
    const { errors, findings, source } = imported(`
on: push
jobs:
  a:
    strategy: { matrix: { ${axes.join(', ')} } }
    steps: [{ run: echo }]
`);
    expect(findings.map(({ message }) => message)).toContain(
      'A matrix has 256 jobs at the most, and this one 43046721.',
    );
    expect(source.length).toBeLessThan(1_000);
    // A loop over nothing would pass the check, and do nothing.
    expect(errors.join()).toContain('notImported');
  });

  test('fails the check at an axis of a matrix that is no list', () => {
    const { errors, findings } = imported(
      'on: push\njobs: { a: { strategy: { matrix: { node: 24 } }, steps: [{ run: echo }] } }\n',
    );
    expect(errors.join()).toContain('notImported');
    expect(findings.map(({ message }) => message)).toContain('"24" could not be imported: it is no list.');
  });

  test('fails the check at an expression that only a runner knows', () => {
    const { errors, findings } = imported(
      "on: push\njobs: { a: { steps: [{ run: 'echo ${{ hashFiles(''x'') }} ${{ runner.os }}' }] } }\n",
    );
    expect(errors.join()).toContain('notImported');
    expect(findings.filter(({ severity }) => severity === 'error').map(({ message }) => message)).toEqual([
      `"hashFiles('x')" could not be imported: hashFiles() has no counterpart.`,
      '"runner.os" could not be imported: runner.os has no counterpart.',
    ]);
  });
});

test('a command with a value from outside in its text is told, and one with it in a variable is not', () => {
  const findingsOf = (step: string): readonly string[] =>
    imported(`on: issues\njobs: { a: { runs-on: u, steps: [{ ${step} }] } }\n`)
      .findings.map(({ code }) => code)
      .filter((code) => code === 'input-in-command');
  expect(findingsOf('run: \'echo "${{ github.event.issue.title }}"\'')).toEqual(['input-in-command']);
  expect(findingsOf("run: 'echo \"$T\"', env: { T: '${{ github.event.issue.title }}' }")).toEqual([]);
  expect(
    findingsOf(
      "run: 'git checkout ${{ github['head_ref'] }}'".replaceAll("'head", "''head").replaceAll("ref'", "ref''"),
    ),
  ).toEqual(['input-in-command']);
  expect(findingsOf("run: 'echo ${{ github.event_name }} ${{ matrix.node }}'")).toEqual([]);
});

test('a character that a person does not see is written as an escape', () => {
  const { source, errors } = imported(
    'on: push\njobs: { a: { runs-on: u, steps: [{ name: "x\u202Ey", run: "true" }] } }\n',
  );
  expect([errors, /[\u202E]/.test(source)]).toEqual([[], false]);
});
