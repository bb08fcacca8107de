import { genesis, linkHash, type ChainLink } from '@baton/store';

type ChainVerdict =
  | { readonly isIntact: true; readonly head: string; readonly seq: number }
  /** `seq`: the first position that is not what it was. */
  | { readonly isIntact: false; readonly seq: number; readonly why: 'missing' | 'changed' };

/** Whether the events, in the order given, follow from each other and from `before`, the hash at position `after`. */
export function verifyChain(
  links: Iterable<ChainLink & { readonly hash: string }>,
  { after = 0, before = genesis }: { readonly after?: number; readonly before?: string } = {},
): ChainVerdict {
  let seq = after;
  let head = before;
  for (const link of links) {
    seq += 1;
    if (link.seq !== seq) return { isIntact: false, seq, why: 'missing' };
    head = linkHash(head, link);
    if (link.hash !== head) return { isIntact: false, seq, why: 'changed' };
  }
  return { isIntact: true, head, seq };
}
