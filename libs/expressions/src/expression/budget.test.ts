import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { EvaluationError } from '../evaluationError.ts';
import { limits } from '../limits.ts';
import { compileCondition } from './condition.ts';
import { Evaluation } from './evaluation.ts';
import { compileSource } from './source.ts';
import { compileTemplate } from './template.ts';

const codeOf = (evaluate: () => unknown): string => {
  try {
    evaluate();
    return 'done';
  } catch (error) {
    if (error instanceof EvaluationError) return error.code;
    throw error;
  }
};

const doubled = (times: number, body: string): string => {
  let source = body;
  for (let i = times; i > 0; i--)
    source = `cel.bind(x${i}, ${i === 1 ? '"aaaaaaaaaaaaaaaa"' : `x${i - 1} + x${i - 1} + x${i - 1} + x${i - 1}`}, ${source})`;
  return source;
};

const nestedLists = (depth: number): string => {
  let source = `x${depth}`;
  for (let i = depth; i > 0; i--)
    source = `cel.bind(x${i}, ${i === 1 ? '[1, 1]' : `[x${i - 1}, x${i - 1}]`}, ${source})`;
  return source;
};

/** Goal: every expression comes to an end in time. Method: everything that could make it long. */
describe('[L-104] an expression that does too much is given up', () => {
  test.each([
    ['loops in loops', 'range(60).all(a, range(60).all(b, range(60).all(c, range(60).all(d, a + b + c + d >= 0))))'],
    ['loops that fail', 'range(99999).exists(a, range(99999).exists(b, steps.nope == 1))'],
    ['loops behind ||', 'range(99999).all(a, range(99999).exists(b, b < 0) || true) || true'],
    ['lists of lists', 'range(99999).map(x, range(999))'],
    ['one list many times', 'cel.bind(l, range(9999), l.map(x, l))'],
    ['lists doubled and doubled', nestedLists(25)],
    ['a long list', 'range(100001)'],
    ['an endless list', 'range(1000000000000)'],
    ['a list joined to itself', `cel.bind(l, range(99999), l + l)`],
    ['a text doubled and doubled', doubled(12, 'x12')],
    ['a text replaced into itself', `cel.bind(t, range(2000).map(x, "ab").join(), t.replace("a", t))`],
    ['a long join', 'range(99999).map(x, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa").join()'],
    ['many digests', 'range(99999).map(x, sha256("a"))'],
    ['many patterns', 'range(9999).map(x, "abc".matches("(a|b)*c" + string(x)))'],
    ['a wide pattern over a long text', 'range(20000).map(x, "ab").join().matches("(?:a?b?){400}c")'],
    ['JSON of too much', 'json(range(9999).map(x, range(99)))'],
    ['many times of day', 'range(99999).map(x, formatTime("2026-11-30T06:00:00Z", "HH", "Europe/Berlin"))'],
    ['one long text compared with another', 'range(99999).all(x, inputs.one == inputs.other)'],
    ['a comparison of too much', 'cel.bind(l, range(9999), range(999).all(x, l == l + []))'],
  ])('%s', (_, source) => {
    const scope = { inputs: { one: 'a'.repeat(100_000), other: 'a'.repeat(100_000) } };
    expect(codeOf(() => compileCondition(source, '').evaluate(scope))).toBe('expression-budget');
  });

  test('a value that is nested without end is not compared', () => {
    const deep = (): unknown => {
      let value: unknown = 1;
      for (let i = 0; i < 20_000; i++) value = [value];
      return value;
    };
    expect(codeOf(() => compileCondition('a == b', '').evaluate({ a: deep(), b: deep() }))).toBe('expression-budget');
    expect(codeOf(() => compileCondition('json(a)', '').evaluate({ a: deep() }))).toBe('expression-budget');
  });

  test('the expressions of one value share a budget', () => {
    const loop = '${{ inputs.n > 0 && range(9999).all(x, x + 1 > 0 && x + 2 > 0 && x + 3 > 0) }}';
    const many = Array.from({ length: 30 }, () => loop);
    const scope = { inputs: { n: 1 } };
    expect(codeOf(() => compileTemplate([loop], '').evaluate(scope))).toBe('done');
    expect(codeOf(() => compileTemplate(many, '').evaluate(scope))).toBe('expression-budget');
  });

  test('and so do their results', () => {
    const big = { text: 'x'.repeat(1_000_000) };
    const many = Array.from({ length: 20 }, () => '${{ inputs.big }}');
    expect(codeOf(() => compileTemplate(many, '').evaluate({ inputs: { big } }))).toBe('expression-budget');
  });
});

test('a large map is not looked through again and again for nothing', () => {
  const wide = Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`k${i}`, i]));
  for (const source of ['distinct(l)', 'l.all(x, size(x) > 0)', 'l.all(x, x != {})', 'l.all(x, x.all(k, true))']) {
    expect(
      codeOf(() => compileCondition(`cel.bind(l, range(9999).map(i, wide), ${source})`, '').evaluate({ wide })),
    ).toBe('expression-budget');
  }
});

describe('what people do with large values is not', () => {
  const items = Array.from({ length: 10_000 }, (_, i) => ({ name: `repo-${i}`, archived: i % 2 === 0, stars: i }));
  const scope = { steps: { repos: { output: { items } } } };

  test.each([
    'steps.repos.output.items.filter(r, !r.archived && r.stars > 10)',
    'steps.repos.output.items.map(r, {"name": r.name, "stars": r.stars * 2})',
    'steps.repos.output.items.filter(r, r.name.matches("^repo-[0-9]+$")).map(r, r.name).join(", ")',
    'sort(steps.repos.output.items.map(r, r.stars))',
    'distinct(steps.repos.output.items.map(r, r.name))',
    'json(steps.repos.output.items)',
    '{"all": steps.repos.output.items}',
  ])('%s', (source) => {
    expect(codeOf(() => compileCondition(source, '').evaluate(scope))).toBe('done');
  });
});

const outcomeOf = (source: string, evaluation: Evaluation): string => {
  try {
    compileSource(source).run(evaluation);
    return 'done';
  } catch (error) {
    return error instanceof Error ? error.name : 'thrown';
  }
};

/**
 * Goal: no evaluation does more than its budget, also where errors are caught on the way.
 * Method: random expressions over the dangerous parts, evaluated with little; what is left never falls far below zero.
 */
test('nothing an expression can say gets it more', () => {
  const leaf = fc.constantFrom('1', '0', '"ab"', 'true', 'range(50)', 'x', 'nope', '[1, 2]', '{"a": 1}', '1 / 0');
  const { node } = fc.letrec<{ node: string }>((tie) => ({
    node: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      leaf,
      fc.tuple(tie('node'), tie('node')).map(([a, b]) => `(${a} + ${b})`),
      fc.tuple(tie('node'), tie('node')).map(([a, b]) => `(${a} || ${b})`),
      fc.tuple(tie('node'), tie('node')).map(([a, b]) => `(${a} == ${b})`),
      fc
        .tuple(fc.constantFrom('all', 'exists', 'map', 'filter'), tie('node'))
        .map(([name, body]) => `range(99).${name}(x, ${body})`),
      fc
        .tuple(fc.constantFrom('json', 'size', 'distinct', 'sort', 'sum', 'flatten', 'string'), tie('node'))
        .map(([name, a]) => `${name}(${a})`),
    ),
  }));
  fc.assert(
    fc.property(node, (source) => {
      let charged = 0;
      class Counting extends Evaluation {
        override charge(units: number): void {
          charged += units;
          super.charge(units);
        }
      }
      expect(outcomeOf(source, new Counting({}, 5_000))).toMatch(/^(done|SyntaxProblem|BudgetSpent|Failed)$/);
      // One step more than there was, and no step after it.
      expect(charged).toBeLessThan(5_000 + limits.expression.listItems);
    }),
    { numRuns: 300 },
  );
});
