import { actOn, listCommand } from './defineCommand.ts';

export const ls = listCommand({
  json: 'print them as a JSON array',
  list: (client) => client.sessions.all(),
  columns: [
    { title: 'ID', value: ({ id }) => id },
    { title: 'KEY', value: ({ key }) => key.name, canShrink: true },
    { title: 'SINCE', value: ({ createdAt }, { instantText }) => instantText(createdAt) },
    { title: 'UNTIL', value: ({ expiresAt }, { instantText }) => instantText(expiresAt) },
  ],
  none: 'No browser is logged in. Log one in: baton open',
  examples: [['baton sessions ls', 'list browsers that are logged in, and with which key']],
});

export const end = actOn({
  of: ['<login>', 'id of the session, from `baton sessions ls`'],
  act: (client, id) => client.sessions.end(id),
  done: 'The session has ended. So have those that it made. The key that it used is still valid: baton keys revoke',
  examples: [['baton sessions end SESSION', 'log a browser out, within seconds']],
});
