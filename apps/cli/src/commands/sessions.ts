import { actOn, listCommand } from './defineCommand.ts';

export const ls = listCommand({
  json: 'print them as a JSON array',
  list: (client) => client.sessions.all(),
  columns: [
    { title: 'ID', value: ({ id }) => id },
    { title: 'WHO', value: ({ key, person }) => (person ?? key)?.name ?? '', canShrink: true },
    { title: 'SINCE', value: ({ createdAt }, { instantText }) => instantText(createdAt) },
    { title: 'UNTIL', value: ({ expiresAt }, { instantText }) => instantText(expiresAt) },
  ],
  none: 'No browser is logged in. Log one in: baton open',
  examples: [['baton sessions ls', 'list browsers that are logged in, and who logged in']],
});

export const end = actOn({
  of: ['<browser>', 'id of the browser’s session, from `baton sessions ls`'],
  act: (client, id) => client.sessions.end(id),
  done: 'The browser is logged out, and so are those that it logged in. The key that it used is still valid: baton keys revoke',
  examples: [['baton sessions end BROWSER', 'log a browser out, within seconds']],
});
