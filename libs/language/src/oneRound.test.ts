import { expect, test } from 'vitest';

import { checkWorkflow } from './parseWorkflow.ts';
import { known } from './testing/offers.ts';

/** Faulty steps, each with all that is wrong with it, also behind its first mistake. */
const fragments: readonly (readonly [step: string, ...codes: string[]])[] = [
  ['tool: github/list_isues\n    with: { repository: a }', 'unknown-tool', 'unknown-argument'],
  ['tool: github/list_isues\n    with: { repo: a, limit: 300 }', 'unknown-tool', 'value-invalid'],
  ['tool: github/create_issue\n    with: { titel: 5 }', 'unknown-argument', 'value-invalid'],
  ['if: "${{ inputs.nmae == 1 }}"\n    set: {}', 'expression-braces', 'unknown-field'],
  ['if: "${{ steps.nowhere.output }}"\n    set: {}', 'expression-braces', 'unknown-step'],
  ['tol: github/create_issue\n    with: { title: "${{ inputs.nmae }}" }', 'missing-verb', 'unknown-field'],
  ['set: { a: "${{ inputs.nmae }}" }\n    tilte: Hello', 'unknown-key', 'unknown-field'],
  ['set: { a: "${{ 1 + }}" }', 'expression-syntax'],
  ['set: { a: "${{ lenght(inputs.name) }}" }', 'unknown-function'],
  ['set: { a: "${{ inputs.name - 1 }}" }', 'expression-type'],
  ['set: {}\n    retry: { attempts: 2 }', 'key-not-for-verb'],
  ['tool: github/search\n    timeout: 30 seconds', 'bad-duration'],
  ['tool: github/search\n    effect: reads', 'wrong-value'],
  ['tool: gihub/search', 'unknown-server'],
  ['forEach: 3\n    steps: [{ set: { a: "${{ item.a + inputs.nmae }}" } }]', 'wrong-type', 'unknown-field'],
  ['forEach: "${{ inputs.name }}"\n    steps: [{ set: { a: "${{ inputs.nmae }}" } }]', 'not-a-list', 'unknown-field'],
  ['repeat: { max: 3, until: "true", while: "true", steps: [{ set: {} }] }', 'conflicting-keys'],
  ['repeat: { max: 0, steps: [{ set: { a: "${{ inputs.nmae }}" } }] }', 'out-of-range', 'unknown-field'],
  ['switch: [{ else: [{ set: {} }] }, { when: inputs.nmae, steps: [] }]', 'unreachable-case', 'unknown-field'],
  ['tool: github/search\n    retry: { on: [tool-faild] }', 'unknown-failure-code'],
  ['tool: github/search\n    onEror: ignore', 'unknown-key'],
  ['ask: Sure?\n    timeout: 3s', 'key-not-for-verb'],
  ['set: { a: "${{ secrets.TOKEN }}" }', 'secret-misplaced'],
  ['workflow: scan\n    with: { ulr: a }', 'unknown-argument'],
  ['tool: github/search\n    with: { query: select a, b from c }', 'key-without-value'],
  [
    'undo: github/undo\n    tool: github/create_issue\n    with: { title: "${{ inputs.nmae }}" }',
    'wrong-type',
    'unknown-field',
  ],
  ['steps: [{ set: { a: "${{ inputs.nmae }}" } }]\n    finaly: [{ set: {} }]', 'unknown-key', 'unknown-field'],
  [
    'until: first\n    parallel: [{ set: { a: "${{ inputs.nmae }}" }, needs: [b] }]',
    'conflicting-keys',
    'unknown-need',
    'unknown-field',
  ],
  ['id: a b\n    tool: gihub/search', 'bad-name', 'unknown-server'],
  [
    'forEach: "${{ [1] }}"\n    as: an item\n    steps: [{ set: { a: "${{ inputs.nmae }}" } }]',
    'bad-name',
    'unknown-field',
  ],
  ['id: w1-x\n    set: { a: "${{ steps.w1-x.a }}" }', 'unknown-step', 'step-not-run-yet'],
];

const head = 'workflow: w\ninputs: { name: { type: string } }\nsteps:\n';

const codesOf = (steps: readonly string[]): string[] =>
  checkWorkflow(head + steps.map((step) => `  - ${step}\n`).join(''), known).findings.map(({ code }) => code);

/** How many of the mistakes are among what was found. */
function foundOf(wanted: readonly string[], found: readonly string[]): number {
  const left = [...found];
  return wanted.filter((code) => {
    const at = left.indexOf(code);
    if (at >= 0) left.splice(at, 1);
    return at >= 0;
  }).length;
}

/**
 * Goal: after all findings are mended, the next check finds nothing more.
 * Method: all pairs of faulty steps, and every twenty-ninth triple, in one file each; all their mistakes are counted among the
 * findings of one check.
 */
test('of pairs and triples of mistakes at least 95 in 100 are found in the first round', () => {
  let [wanted, found] = [0, 0];
  const missed = new Map<string, number>();
  const hold = (...chosen: (typeof fragments)[number][]): void => {
    const codes = chosen.flatMap(([, ...all]) => all);
    const got = foundOf(codes, codesOf(chosen.map(([step]) => step)));
    wanted += codes.length;
    found += got;
    if (got < codes.length) for (const [step] of chosen) missed.set(step, (missed.get(step) ?? 0) + 1);
  };
  let n = 0;
  fragments.forEach((a, i) => {
    fragments.slice(i + 1).forEach((b, j) => {
      hold(a, b);
      for (const c of fragments.slice(i + j + 2)) if (n++ % 29 === 0) hold(a, b, c);
    });
  });
  const worst = [...missed].toSorted((a, b) => b[1] - a[1]).slice(0, 3);
  expect(found / wanted, `most often missed: ${JSON.stringify(worst)}`).toBeGreaterThanOrEqual(0.95);
});
