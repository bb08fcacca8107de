import { readdirSync, readFileSync } from 'node:fs';

import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import type { Finding } from './finding.ts';
import { checkWorkflow } from './parseWorkflow.ts';
import { known } from './testing/offers.ts';

const folders = ['../fixtures/', '../../../examples/', '../corpus/live/'];
const texts = folders.flatMap((folder) => {
  const url = new URL(folder, import.meta.url);
  return readdirSync(url)
    .filter((name) => name.endsWith('.yaml'))
    .map((name) => readFileSync(new URL(name, url), 'utf8'));
});

/** What the carets of a frame lie under. */
function underCarets({ frame }: Finding): string {
  const rows = frame.split('\n');
  const carets = rows.findIndex((row) => /^ *\| +\^+$/.test(row));
  const row = Array.from(rows[carets - 1] ?? '');
  return row.slice(rows[carets]?.indexOf('^'), (rows[carets]?.lastIndexOf('^') ?? 0) + 1).join('');
}

/** Codes whose finding names the very token that is wrong. */
const named = /^(unknown-(key|step|field|input|need|tool|prompt|server|argument|workflow|failure-code)|duplicate-key)$/;

const words = (text: string): RegExpExecArray[] =>
  [...text.matchAll(/[A-Za-z_][A-Za-z0-9_-]*/g)].filter(
    ({ index }) => !text.slice(text.lastIndexOf('\n', index) + 1, index).includes('#'),
  );

/**
 * Goal: every position that is reported lies in the file, and on the token that is meant.
 * Method: good files and broken ones, with words anywhere in them misspelled, doubled or taken out, held against servers.
 */
test('[L-150] every finding lies on the token that it is about', () => {
  const edit = fc.constantFrom<(word: string) => string>(
    (word) => `${word}x`,
    (word) => word.slice(1),
    (word) => `${word} ${word}`,
    () => '',
    (word) => `${word.slice(0, -2)}${word.slice(-1)}${word.slice(-2, -1)}`,
    () => '"',
  );
  const slips = fc.array(fc.tuple(fc.nat(10_000), edit), { minLength: 1, maxLength: 3 });
  fc.assert(
    fc.property(fc.constantFrom(...texts), slips, (text, edits) => {
      const slipped = edits.reduce((now, [nth, change]) => {
        const all = words(now);
        const [word = '', index] = [
          all[nth % Math.max(1, all.length)]?.[0],
          all[nth % Math.max(1, all.length)]?.index ?? 0,
        ];
        return now.slice(0, index) + change(word) + now.slice(index + word.length);
      }, text);
      const lines = slipped.split('\n');
      for (const finding of checkWorkflow(slipped, known).findings) {
        const { code, line, column, found = '' } = finding;
        const row = Array.from(lines[line - 1] ?? '');
        expect(line).toBeLessThanOrEqual(lines.length);
        expect(column).toBeLessThanOrEqual(row.length + 1);
        const under = underCarets(finding);
        const rest = row.slice(column - 1).join('');
        expect(rest).toContain(under.slice(0, 40).trimEnd());
        // Of a quoted text that goes on in the next line, the frame has the first.
        const goesOn = /^(["'])(?!.*\1)/.test(rest);
        const isNamed = named.test(code) && found.length < 40 && !goesOn;
        expect(isNamed ? under : found).toContain(found);
      }
    }),
    { numRuns: 200 },
  );
});
