/**
 * The promise as a whole: a person speaks to a device, a run starts, calls another device, and the first one answers.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

import type { Json } from '@baton/primitives';
import { encodeText } from '@baton/protocol';
import { type Calls, RunDrivers, requested } from '@baton/runner';
import { MemoryJournal, planOf, testPorts } from '@baton/testing';
import { expect, onTestFinished, test } from 'vitest';

import { deviceRelay } from './relay/deviceRelay.ts';
import { relayedDevices } from './relay/relayedDevices.ts';
import { connectDevice, listener, openHttp, registered } from './testing/testDevice.ts';

const workflow = `
workflow: door
on:
  - device: {}
inputs:
  said: { type: string, default: '' }
steps:
  - id: open
    tool: door-1/open
    with:
      reason: \${{ inputs.said }}
outputs:
  reply: 'The door is \${{ steps.open.output.state }}.'
`;

/** One run on one worker, without queue and disk. */
async function run(calls: Calls, said: string): Promise<Json> {
  const journal = new MemoryJournal();
  const ports = testPorts({ journal, blobs: journal.blobs, plans: async () => planOf(workflow), calls });
  const order = { workflow: 'door', definition: 'door', trigger: { kind: 'device' }, by: 'device' } as const;
  const { runId } = await journal.request(requested({ ...order, inputs: { said } }, Date.now()));
  await new RunDrivers(ports).drive(runId);
  const row = journal.row(runId);
  if (row?.outputs === undefined || !('json' in row.outputs)) throw new Error(JSON.stringify(row));
  return row.outputs.json;
}

test('a text starts a run on a worker elsewhere, which opens the door and has the answer', async () => {
  const key = 'a key that both have';
  let calls: Calls | undefined;
  const devices = await listener({
    async onText(_, __, said) {
      if (calls === undefined) throw new Error('there is no worker');
      return ((await run(calls, said)) as { reply: string }).reply;
    },
  });
  const relay = deviceRelay(devices, key);
  const orchestrator = createServer((request, response) => {
    const { signal } = new AbortController();
    void json(request).then(async (body) => {
      const reply = await relay({ authorization: request.headers.authorization, body, signal });
      response.writeHead(reply.status).end(JSON.stringify(reply.body));
    });
  }).listen(0, '127.0.0.1');
  await once(orchestrator, 'listening');
  onTestFinished(() => {
    orchestrator.closeAllConnections();
    orchestrator.close();
  });
  const url = `http://127.0.0.1:${(orchestrator.address() as AddressInfo).port}/internal/devices`;
  const relayed = relayedDevices({ url, key, openHttp });
  onTestFinished(() => relayed.close());
  calls = relayed.calls;

  const door = await registered(devices, 'door-1', { open: {} });
  const panel = await connectDevice(devices.port);
  panel.write(encodeText('task1234', 'Let me in'));
  const call = await door.nextCall();
  expect(call).toMatchObject({ method: 'open', params: { reason: 'Let me in' } });
  door.answer(call.id, { success: true, data: { state: 'open' } });
  expect(await panel.next()).toMatchObject({ kind: 'text', taskId: 'task1234', text: 'The door is open.' });
  expect(await panel.next()).toMatchObject({ kind: 'end', taskId: 'task1234' });
});
