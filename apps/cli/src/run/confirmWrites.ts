/** Asks before a retry or a rerun makes writes again. */
import type { RepeatedCall, RerunResult } from '@baton/api/client';

import type { Context } from '../context.ts';
import { confirmed } from '../inputs/confirmed.ts';
import { repeatedCallText, unreadText } from '../output/printRerunResult.ts';

/** More are counted only. */
const shownMax = 10;

/** Rejects with `CommandError` unless a person agrees to make the writes again that happened, or may have. */
export async function confirmWrites(context: Context, { again, unread = 0 }: RerunResult): Promise<void> {
  const writes = again.filter(({ effect, outcome }) => effect === 'write' && outcome !== 'failed');
  if (writes.length === 0 && unread === 0) return;
  const { stderr } = context;
  if (unread > 0) stderr.line(unreadText(unread));
  if (writes.length === 0) return confirmUnread(context, unread);
  for (const call of writes.slice(0, shownMax)) stderr.line(repeatedCallText(call));
  if (writes.length > shownMax) stderr.line(`and ${writes.length - shownMax} more; --preview lists all`);
  const isOne = writes.length === 1;
  const what = `${isOne ? 'A call that writes' : `${writes.length} calls that write`} ${happened(writes)}`;
  await confirmed(context, {
    question: `${what}. Make ${isOne ? 'it' : 'them'} again?`,
    refusal: `${what}, and would be made again.`,
    hint: `find out at the server first; add --yes to make the ${isOne ? 'call' : 'calls'} again`,
    declined: 'Nothing was done.',
  });
}

const confirmUnread = (context: Context, unread: number): Promise<void> =>
  confirmed(context, {
    question: 'Go on?',
    refusal: unreadText(unread),
    hint: 'find out at the servers first; add --yes to go on',
    declined: 'Nothing was done.',
  });

function happened(writes: readonly RepeatedCall[]): string {
  const certain = writes.filter(({ outcome }) => outcome === 'succeeded').length;
  if (certain === 0) return 'may have happened';
  return certain === writes.length ? 'happened before' : 'happened before, or may have';
}
