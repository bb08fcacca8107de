import { expect, test } from 'vitest';

import { startersOf } from './startersOf.ts';

test('each trigger of a workflow is told in words', () => {
  const source = `workflow: brief
on:
  - { schedule: '0 7 * * *', timezone: Europe/Berlin }
  - { webhook: knock, secret: HOOK }
  - { resource: files, uri: 'file:///tmp/in.txt' }
  - tool: {}
steps:
  - set: { done: true }
`;
  expect(startersOf('brief', source)).toEqual([
    'the schedule 0 7 * * * (Europe/Berlin)',
    'the webhook /v1/hooks/brief/knock, signed with the secret HOOK',
    'changes of file:///tmp/in.txt on the server files',
    'MCP clients, for which it is a tool',
  ]);
  expect(startersOf('brief', 'steps: nothing that can be read')).toBeUndefined();
});
