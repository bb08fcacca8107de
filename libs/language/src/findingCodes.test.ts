import { describe, expect, test } from 'vitest';

import { type FindingCode, findingCodes } from './findingCodes.ts';
import { checkWorkflow } from './parseWorkflow.ts';
import { known } from './testing/offers.ts';

const all = Object.entries(findingCodes);

/** Besides what the corpus knows. The shop cannot be asked. */
const options = {
  ...known,
  servers: new Map([...(known.servers ?? []), ['shop', { kind: 'unasked' } as const]]),
  secrets: new Map([...(known.secrets ?? []), ['SHOP_HOOK', {}], ['GITHUB_TOKEN', { servers: ['github'] }]]),
};

const inputs = `inputs:
  org: { type: string, default: acme }
  url: { type: string, default: "https://example.com" }
  count: { type: integer, default: 3 }
  tags: { type: array, items: { type: string }, default: [] }
`;

/**
 * The part of a file in a whole one, with the keys that its mended form lacks, so that both are placed alike. A part
 * that begins with a dash is a list of steps, any other is keys of the workflow.
 */
function wholeOf(part: string, mended: string): string {
  const lacks = (key: string): boolean => !new RegExp(`^${key}:`, 'm').test(mended);
  const begin = (lacks('workflow') ? 'workflow: example\n' : '') + (lacks('inputs') ? inputs : '');
  if (mended.startsWith('- ')) return `${begin}steps:\n${part.replaceAll(/^/gm, '  ')}\n`;
  const end = lacks('steps') ? 'steps:\n  - tool: github/search\n' : '';
  return part.startsWith('%') || part.startsWith('#') ? `${part}\n${end}` : `${begin}${part}\n${end}`;
}

const codesIn = (part: string, mended: string): string[] => [
  ...new Set(checkWorkflow(wholeOf(part.replaceAll('⇥', '\t'), mended), options).findings.map(({ code }) => code)),
];

describe('the table of findings', () => {
  const inWords: readonly FindingCode[] = [
    'too-large',
    'too-deep',
    'duplicate-workflow',
    'expression-too-large',
    'tool-changed',
    'stored-state-unfit',
    'assumed',
  ];
  const inYaml = all.filter(([, spec]) => !spec.inWords);

  test.each(inYaml)('the example of %s gets this finding, and no other', (code, { example, mended }) => {
    expect(codesIn(example, mended)).toEqual([code]);
  });

  test.each(inYaml)('the mended example of %s gets no finding', (_, { mended }) => {
    expect(codesIn(mended, mended)).toEqual([]);
  });

  test.each(all)('what is said of %s fits into 80 columns, indented by two', (_, { example, mended }) => {
    const lines = `${example}\n${mended}`.split('\n');
    expect(lines.filter((line) => line.length > 78)).toEqual([]);
  });

  test('has few examples in words', () => {
    expect(all.filter(([, spec]) => spec.inWords).map(([code]) => code)).toEqual(inWords);
  });
});
