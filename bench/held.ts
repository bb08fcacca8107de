/**
 * How long one schema, one file and one expression may hold the event loop: the worst of each kind that the limits let through, each in
 * a process of its own, in which nothing is warm. The target is clearly below 100 ms for each.
 *
 *   node bench/held.ts
 *
 * In milliseconds of the thread's own CPU time, so that others on the machine do not count: the median of three. `compile`
 * makes the validator, `first` is the first validation, which fails and is explained. A file becomes a plan in four turns.
 */
import { execFileSync } from 'node:child_process';

import { EvaluationError, validator } from '../libs/expressions/src/index.ts';
import { compile, parseWorkflow, parsing } from '../libs/language/src/index.ts';
import type { Json } from '../libs/primitives/src/index.ts';
import { median } from './core/stats.ts';

const each = <T>(count: number, of: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => of(i));
const keys = (count: number, of: (i: number) => Json): Record<string, Json> =>
  Object.fromEntries(each(count, (i) => [`k${i}`, of(i)]));

/** A schema, and a value that does not fit it. */
const schemas: Readonly<Record<string, () => readonly [Json, Json]>> = {
  'many properties': () => [
    { properties: keys(130, () => ({ type: 'string', minLength: 2, pattern: '^x' })) },
    keys(130, () => ''),
  ],
  'nested deep': () => [
    each(30, (i) => i).reduce<Json>((inner) => ({ properties: { a: inner, b: { enum: [1, 2] } }, required: ['a'] }), {
      type: 'string',
    }),
    each(30, (i) => i).reduce<Json>((inner) => ({ a: inner, b: 3 }), 1),
  ],
  'long enums': () => [
    { properties: keys(100, (i) => ({ enum: each(60, (j) => `${i}-${j}`) })) },
    keys(100, () => 'none'),
  ],
  anyOf: () => [{ anyOf: each(395, (i) => ({ multipleOf: i + 1 })) }, 0.5],
  oneOf: () => [{ oneOf: each(78, (i) => ({ multipleOf: i + 1 })) }, 0.5],
  types: () => [
    { properties: keys(130, () => ({ type: ['string', 'null', 'integer', 'boolean'] })) },
    keys(130, () => []),
  ],
  references: () => [
    { $defs: keys(95, () => ({ type: 'string' })), anyOf: each(95, (i) => ({ $ref: `#/$defs/k${i}` })) },
    1,
  ],
  'many keys': () => [{ allOf: each(99, () => ({ minProperties: 1 })) }, keys(100_000, (i) => i)],
  'long text': () => [{ allOf: each(99, (i) => ({ maxLength: 9e6 + i })) }, 'é'.repeat(4e6)],
  'a list': () => [
    { items: { properties: keys(120, () => ({ type: 'string', minLength: 1 })), additionalProperties: false } },
    each(3_000, () => keys(120, () => 'xx')),
  ],
};

/** Each is given up for its cost, or comes to its end. */
const expressions: Readonly<Record<string, string>> = {
  'lists of lists': 'range(99999).map(x, range(999))',
  'one list many times': 'cel.bind(l, range(9999), l.map(x, l))',
  'loops that fail': 'range(99999).exists(a, range(99999).exists(b, steps.nope == 1))',
  'many digests': 'range(99999).map(x, sha256("a"))',
  'many patterns': 'range(9999).map(x, "abc".matches("(a|b)*c" + string(x)))',
  'times of day': 'range(99999).map(x, formatTime("2026-11-30T06:00:00Z", "HH", "Europe/Berlin"))',
  'maps that differ': 'distinct(range(99999).map(x, {"a": x, "b": string(x)}))',
  'a text sought in vain': 'range(9999).all(x, inputs.text.indexOf("aaaaaaaaab") < 0)',
  'a long text sought in vain': 'inputs.text.replace(inputs.part, "x") == inputs.text',
  base64: 'range(99).map(x, base64(inputs.text))',
};
const scope = { inputs: { text: 'a'.repeat(2_000_000), part: `${'a'.repeat(900_000)}b` } };

const head = 'workflow: w\nsteps:\n';
const files: Readonly<Record<string, () => string>> = {
  'a long list': () => `${head}  - set: { a: [${each(16_600, () => '1').join(',')}] }\n`,
  'many steps': () =>
    head +
    each(
      80,
      (i) =>
        `  - id: s${i}\n    tool: a/b\n    if: run.version > ${i}\n    with: { ${each(60, (j) => `k${j}: v${j}`).join(', ')} }\n    onError: ignore\n`,
    ).join(''),
  'many keys': () =>
    `${head}  - set:\n${each(9, (i) => `      m${i}:\n${each(650, (j) => `        k${j}: ${j}\n`).join('')}`).join('')}`,
  'nested lists': () =>
    `${head}  - set:\n      a:\n${each(500, () => `        - ${'['.repeat(40)}${']'.repeat(40)}\n`).join('')}`,
  expressions: () => `${head}  - set:\n${each(2_990, (i) => `      k${i}: "\${{ run.version + ${i} }}"\n`).join('')}`,
  'large expressions': () =>
    `${head}  - set:\n${each(99, (i) => `      k${i}: "\${{ run.version${'+1'.repeat(240)}+${i} }}"\n`).join('')}`,
};

function held(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

function measure(name: string): number[] {
  const [kind = '', what = ''] = name.split(': ');
  if (kind === 'file') {
    const text = files[what]?.() ?? '';
    const work = parsing(text);
    const turns: number[] = [];
    for (;;) {
      let last: ReturnType<typeof work.next> | undefined;
      turns.push(held(() => (last = work.next())));
      if (last?.done !== true) continue;
      const { workflow, findings } = last.value;
      if (workflow === undefined) throw new Error(`${name}: ${findings[0]?.message}`);
      return [...turns, held(() => void compile(workflow))];
    }
  }
  if (kind === 'expression') {
    const text = `\${{ ${expressions[what] ?? ''} }}`;
    const { workflow } = parseWorkflow(`workflow: w\nsteps: [{ set: {} }]\noutputs: { v: ${JSON.stringify(text)} }\n`);
    const outputs = workflow && compile(workflow).outputs;
    return [
      held(() => {
        try {
          outputs?.evaluate(scope);
        } catch (error) {
          if (!(error instanceof EvaluationError)) throw error;
        }
      }),
    ];
  }
  const [schema, value] = schemas[what]?.() ?? [true, null];
  let made: ReturnType<typeof validator> | undefined;
  const make = held(() => (made = validator(schema as Parameters<typeof validator>[0])));
  if (made?.validate === undefined) throw new Error(`${name}: ${made?.refusal}`);
  const { validate } = made;
  return [make, held(() => void validate(value))];
}

const [only] = process.argv.slice(2);
if (only === undefined) {
  const names = [
    ...Object.keys(schemas).map((name) => `schema: ${name}`),
    ...Object.keys(files).map((name) => `file: ${name}`),
    ...Object.keys(expressions).map((name) => `expression: ${name}`),
  ];
  for (const name of names) {
    const runs = each(
      3,
      () => JSON.parse(execFileSync(process.execPath, [import.meta.filename, name], { encoding: 'utf8' })) as number[],
    );
    const parts = (runs[0] ?? []).map((_, i) => Math.round(median(runs.map((run) => run[i] ?? 0))));
    const [compile, first = 0] = parts;
    const together = parts.reduce((sum, one) => sum + one, 0);
    const told = name.startsWith('schema') ? { compile, first, together } : { turns: parts };
    console.log(JSON.stringify({ name, ...told }));
  }
} else console.log(JSON.stringify(measure(only)));
