import type { Hook } from '@baton/api/client';

import { repeated } from '../inputs/arguments.ts';
import type { Output } from '../output/output.ts';
import { oneLine, wrap } from '../output/text.ts';
import { actOn, commandOf, listCommand } from './defineCommand.ts';

export const ls = listCommand({
  options: (command) => command.option('-w, --workflow <workflow>', 'only hooks of this workflow'),
  json: 'print them as a JSON array',
  list: (client, { workflow }) => client.hooks({ workflow }),
  columns: [
    { title: 'HOOK', value: ({ workflow, hook }) => `${workflow}/${hook}`, canShrink: true },
    { title: 'SIGNED', value: ({ scheme }) => scheme },
    { title: 'SECRET', value: ({ secret }) => secret },
    {
      title: 'LAST DELIVERY',
      value: ({ deliveries: [last] }, { instantText }) =>
        last === undefined ? 'none' : `${last.outcome} ${instantText(last.at)}`,
    },
    { title: 'REASON', value: ({ deliveries: [last] }) => last?.reason ?? '', isForPrograms: true },
  ],
  none: 'There are no webhooks. Add one to a workflow with `webhook:` under `on`.',
  note: (hooks) => {
    const refused = hooks.find(({ deliveries: [last] }) => last?.outcome === 'refused');
    return refused && `Why it was refused: baton hooks show ${refused.workflow}/${refused.hook}`;
  },
  examples: [
    ['baton hooks ls', 'list webhooks, how they are signed, and their last delivery'],
    ['baton hooks ls --json', 'list them with the last 50 deliveries of each'],
  ],
});

export const show = actOn({
  of: ['<hook>', 'WORKFLOW/HOOK, as `baton hooks ls` lists it'],
  json: 'print it as JSON',
  act: async (client, name) => {
    const { findHook } = await import('../hooks/findHook.ts');
    return findHook(client, name);
  },
  print: (hook, { client, stdout }) => {
    for (const line of drawHook(hook, client.connection.url, stdout)) stdout.line(line);
  },
  examples: [['baton hooks show on-release/ci', 'show its address, and its last deliveries with reasons']],
});

/** The address of the webhook, its signature, and its last deliveries with reasons. `url`: the address of the API. */
function drawHook(shown: Hook, url: URL, output: Output): string[] {
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

export const test = commandOf({
  form: (command) =>
    command
      .argument('<hook>', 'WORKFLOW/HOOK, as `baton hooks ls` lists it')
      .option('-d, --data <json>', 'the body, or @FILE', '{}')
      .option('-H, --header <header>', 'a header, as "Name: value"; can be repeated', repeated)
      .option('--json', 'print the answer as JSON'),
  act: async (context, [name], { data, header: headers = [], json: asJson = false }) => {
    const { sendDelivery } = await import('../hooks/sendDelivery.ts');
    return sendDelivery(context, { name, data, headers, asJson });
  },
  examples: [
    [`baton hooks test on-release/ci -d '{"type":"release"}'`, 'sign and send a body, as the sender would'],
    ['baton hooks test on-release/ci -d @release.json < secret.txt', 'with the secret from a file'],
    ['CI_HOOK=… baton hooks test on-release/ci', 'the secret is in the variable of its name'],
  ],
});
