import { readFileSync } from 'node:fs';

import { anyWorkflow } from '@baton/testing';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { compile } from './compile/compile.ts';
import { compileTriggers } from './compile/triggers.ts';
import { checkWorkflow, parseWorkflow } from './parseWorkflow.ts';
import { printWorkflow } from './printWorkflow.ts';

const example = readFileSync(new URL('../fixtures/nightly-report.workflow.yaml', import.meta.url), 'utf8');

/**
 * Goal: a workflow either has findings or can be run; nothing that passes the check is refused later.
 * Method: random workflows of every verb, most of them with mistakes.
 */
describe('any workflow', () => {
  test('that has no errors compiles', () => {
    let clean = 0;
    fc.assert(
      fc.property(anyWorkflow, (document) => {
        const { workflow, findings } = checkWorkflow(JSON.stringify(document));
        expect(workflow === undefined).toBe(findings.some(({ severity }) => severity === 'error'));
        if (workflow === undefined) return;
        clean++;
        compile(workflow);
        compileTriggers(workflow);
      }),
      { numRuns: 300 },
    );
    expect(clean).toBeGreaterThan(20);
  });

  test('printed and read again is the same', () => {
    fc.assert(
      fc.property(anyWorkflow, (document) => {
        const { workflow } = parseWorkflow(JSON.stringify(document));
        const printed = workflow && printWorkflow(workflow);
        expect(printed && parseWorkflow(printed)).toEqual({ workflow, findings: [] });
      }),
    );
  });
});

/**
 * Goal: each misspelled word in a file is found at its place.
 * Method: the example of the language page, with each of its references and keys misspelled in turn.
 */
describe('one slip anywhere in the example', () => {
  const places = (pattern: RegExp): RegExpExecArray[] =>
    [...example.matchAll(pattern)].filter(
      (match) => !example.slice(example.lastIndexOf('\n', match.index), match.index).includes('#'),
    );

  const positionOf = (at: number): { line: number; column: number } => {
    const before = example.slice(0, at).split('\n');
    return { line: before.length, column: (before.at(-1) ?? '').length + 1 };
  };

  const findingsWith = (at: number, length: number, put: string): readonly object[] =>
    checkWorkflow(example.slice(0, at) + put + example.slice(at + length)).findings;

  test.each(places(/steps\.[a-z]+/g).map((match) => [match.index, match[0]] as const))(
    'a step, at %i: %s',
    (at, found) => {
      const slip = `steps.${'z'.repeat(found.length - 'steps.'.length)}`;
      expect(findingsWith(at, found.length, slip)).toContainEqual(
        expect.objectContaining({ code: 'unknown-step', ...positionOf(at) }),
      );
    },
  );

  test.each(places(/inputs\.[a-zA-Z]+/g).map((match) => [match.index, match[0]] as const))(
    'an input, at %i: %s',
    (at, found) => {
      expect(findingsWith(at, found.length, `${found}x`)).toContainEqual(
        expect.objectContaining({ code: 'unknown-field', ...positionOf(at) }),
      );
    },
  );

  const own =
    /(?<=^ *(?:- )?)(timeout|retry|budget|onError|effect|key|ifUnknown|undo|collect|as|maxParallel|expires|overlap|catchUp|debounce)(?=:)/gm;

  test.each(places(own).map((match) => [match.index, match[0]] as const))('a key, at %i: %s', (at, key) => {
    expect(findingsWith(at, key.length, `${key}q`)).toContainEqual(
      expect.objectContaining({ code: 'unknown-key', ...positionOf(at) }),
    );
  });
});
