import type { Poll } from '@baton/api/client';

import { oneLine } from '../output/text.ts';
import { actOn, listCommand } from './defineCommand.ts';

/** What the last poll found, in a few words. */
function foundText({ last, failing, paused }: Pick<Poll, 'last' | 'failing' | 'paused'>): string {
  if (paused) return 'paused';
  if (failing !== undefined) return `failing: ${failing.reason}`;
  return last === undefined ? '' : countsText(last);
}

function countsText({
  items,
  started,
  left,
  passedOver,
  repeated,
  refused,
  gap,
  reasons: [first],
}: NonNullable<Poll['last']> | Omit<NonNullable<Poll['last']>, 'at'>): string {
  const parts = [`${items} items`, `${started} started`];
  if (left > 0) parts.push(`${left} wait for the next poll`);
  if (passedOver > 0) parts.push(`${passedOver} marked as seen`);
  if (repeated > 0) parts.push(`${repeated} with the key of another`);
  if (refused > 0) parts.push(`${refused} refused${first === undefined ? '' : ` (${first.reason})`}`);
  if (gap === true) parts.push('the server has lost events');
  return parts.join(', ');
}

export const ls = listCommand({
  options: (command) => command.option('-w, --workflow <workflow>', 'only polls of this workflow'),
  json: 'print them as a JSON array',
  list: (client, { workflow }) => client.polls.all({ workflow }),
  columns: [
    { title: 'ID', value: ({ id }) => id },
    { title: 'EVERY', value: ({ every }) => every },
    {
      title: 'LAST',
      value: ({ last }, { instantText }) => (last === undefined ? 'never' : instantText(last.at)),
    },
    { title: 'SEEN', value: ({ keys }) => `${keys}` },
    {
      title: 'FOUND',
      value: foundText,
      colour: (paint, { failing }) => (failing === undefined ? (text) => text : paint.red),
      canShrink: true,
      wraps: true,
    },
  ],
  none: 'There are no polls. Add one to a workflow with `poll: server/tool` or `event: server/event` under `on`.',
  examples: [['baton polls ls', 'list polls with what they found last']],
});

const of = ['<poll>', 'id of the poll'] as const;

export const show = actOn({
  of,
  json: 'print it as JSON',
  act: (client, id) => client.polls.get(id),
  print: (poll, { stdout }) => {
    stdout.line(oneLine(`${poll.id} (${poll.tool ?? `event ${poll.event}`}, every ${poll.every}): ${foundText(poll)}`));
    if (poll.next !== undefined) stdout.line(`next at ${poll.next}`);
    for (const { reason, items } of poll.last?.reasons ?? [])
      stdout.line(oneLine(`refused: ${items} items: ${reason}`));
    for (const { reason, index, key } of poll.last?.refusals ?? [])
      stdout.line(oneLine(`refused: item ${index}${key === undefined ? '' : ` (${key})`}: ${reason}`));
    for (const { key, text = key, at, runId } of poll.recent)
      stdout.line(oneLine(`${at} ${runId ?? 'no run'} ${text}`));
  },
  examples: [['baton polls show POLL', 'show its last outcome and the items that it saw last']],
});

export const now = actOn({
  of,
  json: 'print what it found as JSON',
  act: (client, id) => client.polls.now(id),
  print: ({ outcome, found, reason }, { stdout }) => {
    const why = reason === undefined ? outcome : `failed: ${reason}`;
    stdout.line(oneLine(found === undefined ? why : countsText(found)));
    for (const runId of found?.runs ?? []) stdout.line(runId);
  },
  examples: [['baton polls now POLL', 'poll now, and start runs for what is new']],
});

export const reset = actOn({
  of,
  options: (command) => command.option('--all', 'the next poll starts a run for each item that is there'),
  act: (client, id, { options: { all } }) => client.polls.reset(id, { start: all === true ? 'all' : 'now' }),
  done: 'It has forgotten what it had seen. The next poll begins anew.',
  examples: [['baton polls reset POLL', 'mark what is there now as seen']],
});
