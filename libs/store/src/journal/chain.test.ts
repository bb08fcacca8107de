import { verifyChain } from '@baton/testing';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { type ChainLink, genesis, linkHash } from './chain.ts';

type Hashed = ChainLink & { readonly hash: string };

function chained(datas: readonly string[], runId = '0199aaaa-0000-7000-8000-000000000001'): Hashed[] {
  let before = genesis;
  return datas.map((data, index) => {
    const link = { runId, seq: index + 1, at: 1_800_000_000_000 + index, type: 'signal.received', data };
    before = linkHash(before, link);
    return { ...link, hash: before };
  });
}

describe('the hash chain of a journal', () => {
  test('an intact journal verifies, and says how far it goes', () => {
    const links = chained(['{}', '{"a":"\\u0000"}', '{"b":"é"}']);
    expect(verifyChain(links)).toEqual({ isIntact: true, seq: 3, head: links[2]?.hash });
    expect(verifyChain([])).toEqual({ isIntact: true, seq: 0, head: genesis });
  });

  test('a tail verifies from the hash before it', () => {
    const links = chained(['{}', '{"a":1}', '{"a":2}']);
    expect(verifyChain(links.slice(1), { after: 1, before: links[0]?.hash ?? '' })).toMatchObject({ isIntact: true });
    expect(verifyChain(links.slice(1), { after: 1 })).toEqual({ isIntact: false, seq: 2, why: 'changed' });
  });

  test('the figures are those of sha256sum, for ever: a stored journal must verify in every release', () => {
    const [first, second] = chained(['{"by":"ada"}', '{"by":"bob"}']);
    expect(first?.hash).toBe('de5271ed7dde88b4a5f4f10d39d3952f9a23a4c629e0939c29d31403207e5777');
    expect(second?.hash).toBe('d3e1a88c0da2da9b4d6b4090ff4cd3d2aa20a96b0da4309f450c63f3f7631a12');
  });

  /**
   * Goal: no edit of a stored journal goes unnoticed.
   * Method: random journals, one random edit each: a field changed, an event removed, doubled, or moved.
   */
  test('each change, removal, double or move is found at its place', () => {
    const journal = fc.array(fc.json(), { minLength: 3, maxLength: 8 });
    const edits = fc.constantFrom('data', 'type', 'at', 'runId', 'hash', 'remove', 'double', 'swap');
    fc.assert(
      fc.property(journal, edits, fc.nat(), (datas, edit, where) => {
        const links = chained(datas);
        // The last event can be cut off unnoticed: only a head kept elsewhere tells.
        const index = where % (links.length - 1);
        const found = verifyChain(edited(links, edit, index));
        expect(found).toMatchObject({ isIntact: false, seq: edit === 'double' ? index + 2 : index + 1 });
      }),
    );
  });
});

function edited(links: readonly Hashed[], edit: string, index: number): Hashed[] {
  const copy = [...links];
  const [one, next] = [copy[index], copy[index + 1]];
  if (one === undefined || next === undefined) throw new Error('the index is within');
  if (edit === 'remove') copy.splice(index, 1);
  else if (edit === 'double') copy.splice(index, 0, one);
  else if (edit === 'swap') copy.splice(index, 2, next, one);
  else if (edit === 'at') copy[index] = { ...one, at: one.at + 1 };
  else copy[index] = { ...one, [edit]: `${one[edit as 'data']} ` };
  return copy;
}
