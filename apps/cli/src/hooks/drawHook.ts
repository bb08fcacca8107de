/** Formats a webhook for a terminal: address, signature, and its last deliveries with reasons. */
import type { Hook } from '@baton/api/client';

import type { Output } from '../output/output.ts';
import { oneLine, wrap } from '../output/text.ts';

/** `url`: the address of the API. */
export function drawHook(shown: Hook, url: URL, output: Output): string[] {
  const { workflow, hook, path, scheme, secret, deliveries } = shown;
  const { paint, columns } = output;
  const name = `${workflow}/${hook}`;
  const width = (columns() ?? 100) - 2;
  const rows = deliveries.flatMap(({ at, outcome, reason, runId }) => [
    `${(outcome === 'refused' ? paint.red : paint.green)(outcome.padEnd(8))}  ${at}${runId === undefined ? '' : `  run ${runId}`}`,
    ...(reason === undefined ? [] : wrap(oneLine(reason), width).map((line) => `  ${line}`)),
  ]);
  return [
    paint.bold(name),
    `Senders post to ${url.href.replace(/\/$/, '')}${path}`,
    `and sign with the secret ${secret} (scheme: ${scheme}).`,
    '',
    ...(rows.length === 0
      ? [`There was no delivery in the last 7 days. Send one: baton hooks test ${name}`]
      : ['Deliveries, newest first:', ...rows]),
  ];
}
