import type { Hook } from '@baton/api/client';

import { actOn, listCommand } from './apiCommand.ts';

export const ls = listCommand<Hook, { readonly workflow?: string }>({
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
  print: async (hook, { client, stdout }) => {
    const { drawHook } = await import('../hooks/drawHook.ts');
    for (const line of drawHook(hook, client.connection.url, stdout)) stdout.line(line);
  },
  examples: [['baton hooks show on-release/ci', 'show its address, and its last deliveries with reasons']],
});
