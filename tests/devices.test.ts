/** Devices on real processes: the orchestrator listens for them, a worker calls them, their texts start runs. */
import { once } from 'node:events';
import { type Socket, connect } from 'node:net';

import { soon } from '@baton/testing';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';

import { Installation } from './installation.ts';

const token = 'a token of the house';
let baton: Installation;

beforeAll(async () => {
  baton = await Installation.start({
    servers: {},
    env: { BATON_DEVICE_PORT: '0', BATON_DEVICE_TOKEN: token },
  });
});

afterAll(() => baton.stop());

interface Device {
  readonly socket: Socket;
  /** Everything that came after the last look and up to this text, which is waited for. */
  upTo(text: string): Promise<string>;
}

async function connected(): Promise<Device> {
  const port = Number(baton.orchestrators[0]?.ready['devicePort']);
  const socket = connect({ host: '127.0.0.1', port, noDelay: true });
  onTestFinished(() => void socket.destroy());
  let unread = '';
  let wake = (): void => {};
  socket.on('data', (chunk: Buffer) => {
    unread += chunk.toString('latin1');
    wake();
  });
  await once(socket, 'connect');
  const upTo = async (text: string): Promise<string> => {
    for (;;) {
      const at = unread.indexOf(text);
      if (at >= 0) {
        const read = unread.slice(0, at + text.length);
        unread = unread.slice(read.length);
        return read;
      }
      await new Promise<void>((resolve) => (wake = resolve));
    }
  };
  return { socket, upTo };
}

const message = (json: object): string => `##START\u0006mcp00001[0000]${JSON.stringify(json, null, '  ')}##END`;

async function registered(services: object, device?: string): Promise<{ device: Device; name: string }> {
  const before = await deviceNames();
  const one = await connected();
  one.socket.write(message({ type: 'register', data: { services, token, ...(device && { device }) } }));
  const name = await soon(async () => {
    const found = (await deviceNames()).find((known) => known === device || !before.includes(known));
    if (found === undefined) throw new Error('not yet');
    return found;
  });
  return { device: one, name };
}

async function deviceNames(): Promise<string[]> {
  const { body } = await baton.api('GET', '/v1/servers');
  return (body['data'] as { name: string }[]).map(({ name }) => name);
}

/** Waits for a call, and answers it. */
async function answerCall({ socket, upTo }: Device, result: object): Promise<Record<string, unknown>> {
  const frame = await upTo('##END');
  const head = '##START\u0006mcp00001[0000]';
  expect(frame.slice(0, head.length)).toBe(head);
  const { type, data } = JSON.parse(frame.slice(head.length, -'##END'.length)) as {
    type: string;
    data: Record<string, unknown>;
  };
  expect(type).toBe('call');
  socket.write(message({ type: 'result', data: { call_id: data['call_id'], result } }));
  return data;
}

const inFrames = (task: string, text: string): string =>
  `##START\u0004${task}0000${text}##END##START\u0003${task}0001##END`;

/** The text that comes back, with all its frames. */
async function said(device: Device, task: string, text: string): Promise<string> {
  device.socket.write(inFrames(task, text));
  return device.upTo(`##START\u0003${task}0001##END`);
}

const clock = {
  get_current_time: {
    description: 'Get current time',
    parameters: { type: 'object', properties: { format: { type: 'string', enum: ['simple', 'detailed'] } } },
  },
};

test('the exchange of seed 000, with a workflow in its middle that a worker runs', async () => {
  const { device, name } = await registered(clock);
  await baton.deploy(`
workflow: time
on:
  - device: {}
    if: event.text == "What time is it?"
steps:
  - id: now
    tool: ${name}/get_current_time
    with: { format: simple }
outputs:
  reply: 'It is \${{ steps.now.text.split(" ")[1] }} on 22 Jan 2025'
`);
  device.socket.write(inFrames('task1234', 'What time is it?'));
  const call = await answerCall(device, { success: true, data: '2025-01-22 14:30:25' });
  expect(call).toMatchObject({ method: 'get_current_time', params: { format: 'simple' } });
  const reply = await device.upTo('##START\u0003task12340001##END');
  expect(reply).toBe(inFrames('task1234', 'It is 14:30:25 on 22 Jan 2025'));
  const { body } = await baton.api('GET', '/v1/runs?workflow=time');
  expect(body['data']).toMatchObject([
    { status: 'succeeded', trigger: { kind: 'device', detail: { device: name, task: 'task1234' } } },
  ]);
});

test('a run without a device trigger calls a device, and is told when it went away', async () => {
  const { device } = await registered({ open: { description: 'Opens the door', parameters: {} } }, 'door');
  const tools = await baton.api('GET', '/v1/servers/door/tools');
  expect(tools.body['data']).toMatchObject([{ name: 'open', effect: 'write', effectFrom: 'default' }]);
  await baton.deploy(`
workflow: let-in
inputs: { who: { type: string } }
steps:
  - id: open
    tool: door/open
    with: { reason: "\${{ inputs.who }}" }
    retry: { attempts: 1 }
outputs: { state: "\${{ steps.open.output.state }}" }
`);
  const run = await baton.start('let-in', { who: 'Ada' });
  expect(await answerCall(device, { success: true, data: { state: 'open' } })).toMatchObject({
    params: { reason: 'Ada' },
  });
  expect(await baton.ended(run)).toMatchObject({ status: 'succeeded', outputs: { state: 'open' } });
  const refused = await baton.start('let-in', { who: 'Mallory' });
  await answerCall(device, { success: false, error: 'not you' });
  expect(await baton.ended(refused)).toMatchObject({ error: { code: 'tool-failed', message: 'not you' } });

  const cut = await baton.start('let-in', { who: 'Eve' });
  await device.upTo('##END');
  device.socket.destroy();
  expect(await baton.ended(cut)).toMatchObject({ error: { code: 'outcome-unknown', step: 'open' } });
  const away = await baton.start('let-in', { who: 'Eve' });
  expect(await baton.ended(away)).toMatchObject({ error: { code: 'server-unreachable', step: 'open' } });
});

test('texts go to whom they are for: inputs, several workflows, one run for one event, and what went wrong', async () => {
  const on = (condition: string, more = ''): string => `on:\n  - device: {}\n    if: ${condition}\n    ${more}`;
  await Promise.all([
    baton.deploy(
      `workflow: greet-a\n${on('event.text.startsWith("hello")', 'inputs: { from: "${{ event.device }}", text: "${{ event.text }}" }')}
inputs: { from: { type: string }, text: { type: string } }
steps: [{ set: { a: 1 } }]
outputs: { reply: "\${{ inputs.from }} said \${{ inputs.text }}" }`,
    ),
    baton.deploy(
      `workflow: greet-b\n${on('event.text == "hello all"')}\nsteps: [{ set: { a: 1 } }]\noutputs: { seen: 1 }`,
    ),
    baton.deploy(`workflow: refuse\n${on('event.text == "no"')}\nsteps: [{ fail: Not today., code: not-today }]`),
    baton.deploy(
      `workflow: once\n${on('event.text.startsWith("once")', 'dedupe: "${{ event.text }}"')}
steps: [{ id: it, set: { id: "\${{ run.id }}" } }]
outputs: { reply: "\${{ steps.it.output.id }}" }`,
    ),
  ]);
  const { device } = await registered({}, 'panel');
  expect(await said(device, 'text0001', 'hello')).toBe(inFrames('text0001', 'panel said hello'));
  expect(await said(device, 'text0002', 'hello all')).toBe(inFrames('text0002', 'panel said hello all\n{"seen":1}'));
  expect(await said(device, 'text0003', 'no')).toBe(inFrames('text0003', 'Not today. (workflow-failed)'));
  expect(await said(device, 'text0004', 'what?')).toBe(
    inFrames('text0004', 'No workflow takes this text. (server-rejected)'),
  );
  const first = await said(device, 'text0005', 'once');
  expect(await said(device, 'text0005', 'once')).toBe(first);
  expect(await said(device, 'text0005', 'once more')).not.toBe(first);
});

test('who has no token is hung up on, and who is no worker cannot use the way to the devices', async () => {
  const one = await connected();
  one.socket.write(message({ type: 'register', data: { services: {} } }));
  expect(await one.upTo('##END')).toContain('"unauthorized"');
  const asked = await baton.api('POST', '/internal/devices', { kind: 'catalogue', device: 'door' });
  expect(asked.status).toBe(401);
});
