import { oneLine } from '../output/text.ts';
import { actOn, listCommand } from './defineCommand.ts';

export const ls = listCommand({
  json: 'print them as a JSON array',
  list: (client) => client.clients.all(),
  columns: [
    { title: 'ID', value: ({ id }) => id },
    { title: 'CLIENT', value: ({ name }) => oneLine(name), canShrink: true },
    { title: 'MAY', value: ({ choice }) => choice },
    { title: 'ADDRESS', value: ({ resource }) => URL.parse(resource)?.pathname ?? resource },
    { title: 'KEY', value: ({ key }) => key.name, canShrink: true },
    {
      title: 'LAST TOKEN',
      value: ({ lastUsedAt }, { instantText }) => (lastUsedAt === undefined ? 'none yet' : instantText(lastUsedAt)),
    },
  ],
  none: 'No client is connected. A client that has the address of /mcp asks in the browser.',
  examples: [['baton tokens ls', 'list clients that were connected with OAuth, and what they may do']],
});

export const revoke = actOn({
  of: ['<client>', 'id of the connected client, from `baton tokens ls`'],
  act: (client, id) => client.clients.disconnect(id),
  done: 'The client is disconnected, and its tokens have ended. It can ask in the browser again.',
  examples: [['baton tokens revoke CLIENT', 'end all tokens of a client, within seconds']],
});
