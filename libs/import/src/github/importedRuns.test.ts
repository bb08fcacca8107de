/** What imported workflows do, by the ledger of the calls that their servers get. */
import { readForeign } from '@baton/language';
import { type Behaviour, behaves } from '@baton/testing';

import { importText } from '../importText.ts';

/** An imported workflow, without its name. */
const imported = (jobs: string): string =>
  importText(readForeign(`on: workflow_dispatch\njobs:\n${jobs}`), 'github', 'w').source.replace(/^workflow: .*\n/, '');

const ran = (command: string): string => `shell/run {"command":${JSON.stringify(command)}}`;
const matrix = `
  test: { strategy: { fail-fast: false, matrix: { v: [1, 2, 3] } }, steps: [{ run: 'test \${{ matrix.v }}' }] }
  deploy: { needs: test, steps: [{ run: deploy }] }`;
const second: Behaviour['servers'] = { 'shell/run': [{ gives: 'ok' }, { fails: 'tool-failed' }, { gives: 'ok' }] };

behaves({
  'A job of a matrix that fails lets the others end, and nothing after it runs': {
    file: imported(matrix),
    servers: second,
    ends: 'workflow-failed',
    ledger: [ran('test 1'), ran('test 2'), ran('test 3')],
  },
  'A matrix whose jobs succeed is followed by what needs it': {
    file: imported(matrix),
    ledger: [ran('test 1'), ran('test 2'), ran('test 3'), ran('deploy')],
  },
  'A matrix whose failure is ignored is followed by what needs it': {
    file: imported(matrix.replace('test: {', 'test: { continue-on-error: true,')),
    servers: second,
    ledger: [ran('test 1'), ran('test 2'), ran('test 3'), ran('deploy')],
  },
  'A job is skipped if one that it needs was, also through others': {
    file: imported(`
  a: { if: false, steps: [{ run: a }] }
  b: { needs: a, steps: [{ run: b }] }
  c: { needs: b, steps: [{ run: c }] }
  d: { steps: [{ run: d }] }`),
    ledger: [ran('d')],
  },
  'A job that runs after a failure does, and what needs it does not': {
    file: imported(`
  a: { steps: [{ run: a }] }
  tell: { needs: a, if: failure(), steps: [{ run: 'tell \${{ needs.a.result }}' }] }
  clean: { needs: [a, tell], if: always(), steps: [{ run: clean }] }
  last: { needs: a, steps: [{ run: last }] }
  done: { needs: [clean, a], steps: [{ run: done }] }`),
    servers: { 'shell/run': [{ fails: 'tool-failed' }, { gives: 'ok' }] },
    ends: 'tool-failed',
    ledger: [ran('a'), ran('tell failure'), ran('clean')],
  },
  'What a condition says of the status of a job is negated and compared as a whole': {
    file: imported(`
  a:
    steps:
      - { run: a }
      - { if: "!success()", run: never }
      - { if: "!cancelled()", run: 'late \${{ job.status }}' }
      - { if: "!failure() && success() == true", run: good }`),
    ledger: [ran('a'), ran('late success'), ran('good')],
  },
  'A job that runs after a failure is skipped where there is none': {
    file: imported(`
  a: { steps: [{ run: a }] }
  tell: { needs: a, if: failure(), steps: [{ run: tell }] }
  clean: { needs: [a, tell], if: always(), steps: [{ run: 'clean \${{ needs.tell.result }}' }] }
  done: { needs: [clean], steps: [{ run: done }] }`),
    ledger: [ran('a'), ran('clean skipped'), ran('done')],
  },
});
