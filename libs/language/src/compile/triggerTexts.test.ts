import { expect, test } from 'vitest';

import { checkWorkflow } from '../parseWorkflow.ts';
import { triggerTexts } from './triggerTexts.ts';

test('Each trigger of a workflow has one text that says what starts it.', () => {
  const source = `workflow: brief
on:
  - { schedule: '0 7 * * *', timezone: Europe/Berlin }
  - { webhook: knock, secret: HOOK }
  - { resource: files, uri: 'file:///tmp/in.txt' }
  - { poll: mail/list, items: result.output.mails, key: item.id, every: 5m }
  - { event: shop/order.paid }
  - { run: { workflow: pay } }
  - { run: { workflow: pay, status: [failed, cancelled], after: 3 } }
  - { run: { workflow: shop/*, waiting: 2h } }
  - { run: { workflow: pay, budget: 80% } }
  - tool: {}
  - { device: {} }
steps:
  - set: { done: true }
`;
  const { workflow, findings } = checkWorkflow(source);
  expect(findings.filter(({ severity }) => severity === 'error')).toEqual([]);
  expect(workflow && triggerTexts(workflow)).toEqual([
    'the schedule 0 7 * * * (Europe/Berlin)',
    'the webhook POST /v1/hooks/brief/knock, signed with the secret HOOK',
    'changes of file:///tmp/in.txt on the server files',
    'what is new in mail/list, every 5m',
    'the event shop/order.paid',
    'runs of pay that ended as failed',
    '3 runs of pay that ended as failed or cancelled, one after another',
    'runs of shop/* that wait for 2h',
    'runs of pay that have spent 80% of their budget',
    'MCP clients, for which it is a tool',
    'events of devices',
  ]);
});
