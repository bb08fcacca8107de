import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { checkWorkflow, parseWorkflow } from '@baton/language';
import { known } from '@baton/language/testing';
import { describe, expect, test } from 'vitest';

import { applyEdits } from './edit.ts';
import {
  definition,
  diagnose,
  fixAll,
  fixes,
  folding,
  format,
  readText,
  references,
  rename,
  renameWorkflow,
  symbols,
  type OutlineEntry,
} from './index.ts';

const here = dirname(fileURLToPath(import.meta.url));
const read = (path: string): string => readFileSync(join(here, path), 'utf8');
const nightly = read('../../language/fixtures/nightly-report.workflow.yaml');
const corpus = readdirSync(join(here, '../../language/corpus'), { encoding: 'utf8' }).filter((file) =>
  file.endsWith('.yaml'),
);
const fixed = (text: string): string => fixAll(readText(text, known)).text;

describe('fixes', () => {
  const head = 'workflow: x\ninputs: { repo: { type: string }, repos: { type: array } }\nsteps:\n';
  test.each([
    ['a misspelt key', '  - tool: github/ping\n    tiemout: 5s\n', '  - tool: github/ping\n    timeout: 5s\n'],
    ['a misspelt tool', '  - tool: github/pnig\n', '  - tool: github/ping\n'],
    [
      'a misspelt argument',
      '  - tool: github/create_issue\n    with: { tilte: abc }\n',
      '  - tool: github/create_issue\n    with: { title: abc }\n',
    ],
    ['a misspelt name', '  - set: { a: "${{ inputs.rpeo }}" }\n', '  - set: { a: "${{ inputs.repo }}" }\n'],
    [
      'a misspelt step',
      '  - id: one\n    set: { a: 1 }\n  - set: { b: "${{ steps.oen.a }}" }\n',
      '  - id: one\n    set: { a: 1 }\n  - set: { b: "${{ steps.one.a }}" }\n',
    ],
    [
      'a misspelt value',
      '  - parallel: [{ set: { a: 1 } }, { set: { a: 2 } }]\n    until: frist\n',
      '  - parallel: [{ set: { a: 1 } }, { set: { a: 2 } }]\n    until: first\n',
    ],
    ['a duration in words', '  - wait: 30 seconds\n', '  - wait: 30s\n'],
    [
      'a boolean of other languages',
      '  - forEach: [1]\n    distribute: yes\n    steps: [{ set: { a: 1 } }]\n',
      '  - forEach: [1]\n    distribute: true\n    steps: [{ set: { a: 1 } }]\n',
    ],
    [
      'braces around a condition',
      '  - if: ${{ inputs.repo == "a" }}\n    set: { a: 1 }\n',
      '  - if: inputs.repo == "a"\n    set: { a: 1 }\n',
    ],
    [
      'braces around a condition that YAML reads as a tag',
      '  - if: ${{ !inputs.repo.contains("a") }}\n    set: { a: 1 }\n',
      `  - if: '!inputs.repo.contains("a")'\n    set: { a: 1 }\n`,
    ],
    [
      'braces around a condition in quotes',
      '  - if: "${{ !inputs.repos.exists(one, one == 1) }}"\n    set: { a: 1 }\n',
      '  - if: "!inputs.repos.exists(one, one == 1)"\n    set: { a: 1 }\n',
    ],
    [
      'quotes that are missing',
      '  - tool: github/create_issue\n    with: { title: ${{ inputs.repo }} }\n',
      '  - tool: github/create_issue\n    with: { title: "${{ inputs.repo }}" }\n',
    ],
    [
      'the braces of an expression that are missing',
      '  - forEach: inputs.repos\n    steps: [{ set: { a: 1 } }]\n',
      '  - forEach: "${{ inputs.repos }}"\n    steps: [{ set: { a: 1 } }]\n',
    ],
    [
      'a type where a schema is needed',
      '  - ask: Go?\n    form: { count: int }\n',
      '  - ask: Go?\n    form: { count: { type: integer } }\n',
    ],
    [
      'a hyphen behind a dot',
      '  - id: may-fail\n    set: { a: 1 }\n  - if: steps.may-fail.a == 1\n    set: { b: 1 }\n',
      '  - id: may-fail\n    set: { a: 1 }\n  - if: steps["may-fail"].a == 1\n    set: { b: 1 }\n',
    ],
  ])('%s', (_, broken, whole) => {
    expect(fixed(head + broken)).toBe(head + whole);
    expect(diagnose(readText(fixed(head + broken), known)).filter(({ severity }) => severity === 'error')).toEqual([]);
  });

  test('two mistakes that hide each other are both fixed', () => {
    expect(fixed(`${head}  - tol: github/create_isue\n    wiht: { titel: abc }\n`)).toBe(
      `${head}  - tool: github/create_issue\n    with: { title: abc }\n`,
    );
  });

  test('an uncertain fix is offered, and not applied', () => {
    const text = `${head}  - uses: github/ping\n`;
    const offered = fixes(readText(text, known));
    expect(offered.map(({ title, isCertain }) => [title, isCertain])).toEqual([['Write "tool"', false]]);
    expect(applyEdits(text, offered[0]?.edits ?? [])).toBe(`${head}  - tool: github/ping\n`);
    expect(fixed(text)).toBe(text);
  });

  test('what decides whether a call may be made twice is left to the author', () => {
    const text = `${head}  - tool: github/create_issue\n    with: { title: a }\n    effect: raed\n`;
    const offered = fixes(readText(text, known));
    expect(offered.map(({ title, isCertain }) => [title, isCertain])).toEqual([['Write "read"', false]]);
    expect(fixed(text)).toBe(text);
  });

  test.each([
    ['everywhere', '\t- id: a\n\t\tset: { x: 1 }\n', '  - id: a\n    set: { x: 1 }\n'],
    ['of the width that its neighbours show', '  - id: a\n\tset: { x: 1 }\n', '  - id: a\n    set: { x: 1 }\n'],
    [
      'and what they hid is reported then',
      '\t- id: a\n\t\tset: { x: 1 }\n\t\tbogus: 1\n\t\tworse: 2\n',
      '  - id: a\n    set: { x: 1 }\n    bogus: 1\n    worse: 2\n',
    ],
    [
      'but not in a text, where they belong to it',
      '  - id: a\n\tset:\n        x: |\n          a\n          \tb\n',
      '  - id: a\n    set:\n        x: |\n          a\n          \tb\n',
    ],
  ])('tabs become spaces %s', (_, broken, whole) => {
    expect(fixed(head + broken)).toBe(head + whole);
  });

  test('tabs that can be read in two ways are left to the author', () => {
    // With two spaces `x` would be beside `set`, with four inside of it.
    const text = `${head}\t- id: a\n\t  set:\n\t\tx: 1\n`;
    expect(diagnose(readText(text, known)).map(({ code, line }) => [code, line])).toEqual([['yaml-tab', 4]]);
    expect(fixes(readText(text, known))).toEqual([]);
  });

  test('no fix makes a file of the corpus worse, and a file without mistakes gets none', () => {
    for (const file of corpus) {
      const text = read(`../../language/corpus/${file}`);
      const { text: now, made } = fixAll(readText(text));
      const count = (one: string): number => checkWorkflow(one).findings.length;
      const isBetter = made.length === 0 ? now === text : count(now) < count(text);
      expect([file, isBetter]).toEqual([file, true]);
    }
  });
});

describe('names', () => {
  const text = `workflow: x
on:
  - schedule: "0 6 * * *"
    inputs: { repo: acme }
inputs: { repo: { type: string } }
steps:
  - id: first
    set: { a: "\${{ inputs.repo }}" }
  - parallel:
      - id: second
        set: { b: "\${{ steps.first.a + steps['first'].a }}" }
      - needs: [second]
        if: steps.second.b != ""
        workflow: scan
        with: { url: "\${{ steps.?second.?b.orValue('') }}" }
`;
  const reading = readText(text, known);
  const at = (part: string): number => text.indexOf(part) + part.length - 1;
  const renamed = (part: string, name: string): string => {
    const result = rename(reading, at(part), name);
    return result?.kind === 'edits' ? applyEdits(text, result.edits) : (result?.reason ?? 'no name');
  };

  test('an expression leads to the step that it reads', () => {
    expect(definition(reading, at('steps.first'))).toEqual({
      kind: 'here',
      span: [text.indexOf('first'), text.indexOf('first') + 5],
    });
    expect(definition(reading, at('[second'))).toEqual({
      kind: 'here',
      span: [text.indexOf('second'), text.indexOf('second') + 6],
    });
    expect(definition(reading, at('inputs.repo'))).toMatchObject({ kind: 'here' });
    expect(definition(reading, at('workflow: scan'))).toEqual({ kind: 'workflow', workflow: 'scan' });
  });

  test('every place that names a step', () => {
    expect(references(reading, at('id: second')).map(({ span }) => text.slice(span[0] - 3, span[1]))).toEqual([
      'd: second',
      's: [second'.slice(-9),
      'ps.second',
      's.?second',
    ]);
  });

  test('a step, an input and a workflow get another name wherever they are named', () => {
    expect(renamed('id: first', 'begin')).toBe(text.replaceAll('first', 'begin'));
    expect(renamed('steps.second', 'other')).toBe(text.replaceAll('second', 'other'));
    expect(renamed('inputs.repo', 'name')).toBe(text.replaceAll('repo', 'name'));
    expect(renamed('workflow: x', 'y')).toBe(text.replace('workflow: x', 'workflow: y'));
    expect(applyEdits(text, renameWorkflow(reading, 'scan', 'look'))).toBe(text.replace('scan', 'look'));
  });

  test('a hyphen moves the name between brackets, and the file stays right', () => {
    const written = renamed('id: second', 'the-second');
    expect(written).toContain('if: steps["the-second"].b');
    expect(written).toContain("steps[?'the-second'].?b");
    expect(checkWorkflow(written, known).findings).toEqual(checkWorkflow(text, known).findings);
  });

  test('a name that is taken, or that is none, is refused with a sentence', () => {
    expect(renamed('id: first', 'second')).toBe('There is a step "second" already.');
    expect(renamed('id: first', '1a')).toMatch(/^"1a" is not a name that can stand here/);
  });
});

describe('format', () => {
  test('line ends of Windows stay, also inside of texts', () => {
    const text = 'steps:\n  - set:\n      a: |\n        one\n\n        two\nworkflow: w   \n';
    const windows = (lines: string): string => lines.replaceAll('\n', '\r\n');
    expect(format(windows(text))).toBe(windows(format(text)));
    expect(format(text)).toMatch(/^workflow: w\nsteps:\n/);
  });

  test('keys are in the order of the language, with the comments before them', () => {
    const text = `# about the file
steps:
  # the first
  - with:
      # of the issue
      title: abc   
    tool: github/create_issue # calls
    id: a
    onError: ignore
    # how long
    timeout: 5s
workflow: x
`;
    expect(format(text)).toBe(`# about the file
workflow: x
steps:
  # the first
  - id: a
    tool: github/create_issue # calls
    with:
      # of the issue
      title: abc
    # how long
    timeout: 5s
    onError: ignore
`);
  });

  test('a key that comes to the front brings the comment before it along', () => {
    const text = 'steps:\n  - set: {}\n# how it is called\nworkflow: w\n';
    expect(format(text)).toBe('# how it is called\nworkflow: w\nsteps:\n  - set: {}\n');
    const inner = 'workflow: w\nsteps:\n  - tool: s/a\n    with: {}\n    # its name\n    id: b\n';
    expect(format(inner)).toBe(inner);
  });

  test('the keys of an entry of `ensure` are in the order of the language, and `ensure` comes after the steps', () => {
    const text = `workflow: x
ensure:
  - within: 1m
    # what is seen
    that: result.output == 1
    tool: s/look
outputs: {}
steps:
  - ensure:
      - that: result.output == 1
        tool: s/look
    tool: s/act
`;
    expect(format(text)).toBe(`workflow: x
steps:
  - tool: s/act
    ensure:
      - tool: s/look
        that: result.output == 1
ensure:
  - tool: s/look
    # what is seen
    that: result.output == 1
    within: 1m
outputs: {}
`);
  });

  test('what is in order stays as it is: the examples, and the whole of the language in one file', () => {
    expect(format(nightly)).toBe(format(format(nightly)));
    expect(parseWorkflow(format(nightly)).workflow).toEqual(parseWorkflow(nightly).workflow);
  });

  /** Goal: formatting never changes what a file means. Method: every file of the corpus, and what is left of it. */
  test('no file of the corpus means anything else afterwards', () => {
    for (const file of corpus) {
      const text = read(`../../language/corpus/${file}`);
      const codes = (one: string): string[] =>
        checkWorkflow(one)
          .findings.map(({ code }) => code)
          .toSorted();
      expect([file, codes(format(text))]).toEqual([file, codes(text)]);
      expect(format(format(text))).toBe(format(text));
    }
  });

  test('a broken file, and lines of a text, are left alone', () => {
    expect(format('workflow: x   \nsteps: [')).toBe('workflow: x   \nsteps: [');
    const text = 'workflow: x\nsteps:\n  - fail: |\n      two   \n      lines\n';
    expect(format(text)).toBe(text);
  });
});

describe('the outline', () => {
  const shape = (entries: readonly OutlineEntry[]): unknown[] =>
    entries.map(({ name, children }) => (children.length === 0 ? name : [name, shape(children)]));

  test('has sections, steps and what is inside of them', () => {
    expect(shape(symbols(readText(nightly)))).toEqual([
      ['on', ['schedule', 'webhook', 'resource', 'tool', 'device']],
      ['inputs', ['org', 'maxRepos']],
      ['steps', ['repos', ['scans', ['scan']], 'style', 'rank', ['switch', ['approval', ['ticket', ['tool']], 'set']]]],
      ['onFailure', ['tool']],
      ['finally', ['tool']],
      ['outputs', ['worst']],
    ]);
  });

  test('every part of more than one line can be folded', () => {
    const parts = folding(readText(nightly)).map((span) => nightly.slice(...span));
    expect(parts.some((part) => part.startsWith('id: scans'))).toBe(true);
    expect(parts.every((part) => part.includes('\n') && part === part.trimEnd())).toBe(true);
  });
});
