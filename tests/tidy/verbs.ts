/** A new verb does not compile until every decision about verbs names it: what a key may start is one of them. */
import { describe, expect, test } from 'vitest';

import { sources } from './sources.ts';

/** The bodies of the switches over a verb. */
function switchesOverVerbs(code: string): readonly string[] {
  return [...code.matchAll(/\bswitch \((?:\w+\.)*verb\) \{/g)].map(({ index, 0: head }) => {
    const from = index + head.length;
    return code.slice(from, endOfBlock(code, from) - 1);
  });
}

/** Where the block ends that begins before `from`. */
function endOfBlock(code: string, from: number): number {
  let depth = 1;
  let at = from;
  for (; depth > 0 && at < code.length; at += 1) {
    if (code[at] === '{') depth += 1;
    if (code[at] === '}') depth -= 1;
  }
  return at;
}

/** Without the blocks inside it, whose own switches may have a default. */
const withoutInnerBlocks = (body: string): string => {
  const shortened = body.replaceAll(/\{[^{}]*\}/g, '');
  return shortened === body ? body : withoutInnerBlocks(shortened);
};

describe('verbs', () => {
  test('a switch over the verb of a step has no default', () => {
    const found = sources.filter(
      ({ code, isTest }) =>
        !isTest && switchesOverVerbs(code).some((body) => /\bdefault:/.test(withoutInnerBlocks(body))),
    );
    expect(found.map(({ path }) => path)).toEqual([]);
  });

  test('the search for such switches finds them, and nothing within them', () => {
    const code = 'switch (step.verb) { case 1: { switch (x) { default: } } }';
    expect(switchesOverVerbs(code).map(withoutInnerBlocks)).toEqual([' case 1:  ']);
    const wrong = 'switch (verb) { case 1: return {}; default: }';
    expect(switchesOverVerbs(wrong).map(withoutInnerBlocks).join('')).toContain('default:');
  });
});
