/** Devices over real sockets: the exchange of seed 000, calls and their results, texts and their answers. */
import { FailureError } from '@baton/engine';
import { encodeMessage } from '@baton/protocol';
import { KnownSecrets } from '@baton/runner';
import { soon } from '@baton/testing';
import { describe, expect, test } from 'vitest';

import { openDevices } from './openDevices.ts';
import {
  callDevice,
  connectDevice,
  errorFrame,
  failureOf,
  listener,
  registered,
  type TestDevice,
} from './testing/testDevice.ts';

/** As the seed writes them, line ends and all. */
const registration = `##START\x06mcp00001[0000]{
"type": "register",
"data": {
"services": {
"get_current_time": {
"description": "Get current time",
"parameters": {
"type": "object",
"properties": {
"format": {
"type": "string",
"enum": ["simple", "detailed"]
}
}
}
}
}
}
}##END`;
const question = '##START\x04task12340000What time is it?##END';
const questionEnd = '##START\x03task12340001##END';
const result = (callId: string): string => `##START\x06mcp00001[0000]{
"type": "result",
"data": {
"call_id": "${callId}",
"result": {
"success": true,
"data": "2025-01-22 14:30:25"
}
}
}##END`;

const bytesOf = (text: string): Buffer[] => [...Buffer.from(text)].map((byte) => Buffer.of(byte));

describe('the exchange of the seed', () => {
  test.each([
    ['frame by frame', (...frames: readonly string[]) => frames],
    ['byte by byte', (...frames: readonly string[]) => frames.flatMap(bytesOf)],
    ['joined', (...frames: readonly string[]) => [frames.join('')]],
  ])('%s', async (_, cut) => {
    const devices = await listener({
      async onText(device, taskId, text) {
        expect([taskId, text]).toEqual(['task1234', 'What time is it?']);
        const { content } = await callDevice(devices, device, 'get_current_time', { format: 'simple' });
        expect(content).toEqual([{ type: 'text', text: '2025-01-22 14:30:25' }]);
        return 'It is 14:30:25 on 22 Jan 2025';
      },
    });
    const device = await connectDevice(devices.port);
    device.write(...cut(registration, question, questionEnd));
    const call = await device.nextCall();
    expect(call).toMatchObject({ method: 'get_current_time', params: { format: 'simple' } });
    device.write(...cut(result(call.id)));
    await device.next();
    await device.next();
    expect(device.bytes()).toBe(
      `##START\x06mcp00001[0000]{"type":"call","data":{"call_id":"${call.id}","method":"get_current_time","params":{"format":"simple"}}}##END` +
        '##START\x04task12340000It is 14:30:25 on 22 Jan 2025##END##START\x03task12340001##END',
    );
    expect(devices.names).toEqual(['device-1']);
  });
});

describe('a registered device is a server', () => {
  const door = {
    open: {
      description: 'Opens the door',
      parameters: { properties: { speed: { type: 'number|string', minimum: 1 } }, required: ['speed'] },
    },
  };

  test('its services are tools', async () => {
    const changed: string[] = [];
    const devices = await listener({ onCatalogueChanged: (device) => changed.push(device) });
    await registered(devices, 'door-1', door);
    const { tools } = await devices.catalogue('door-1');
    expect(tools).toMatchObject([
      {
        name: 'open',
        description: 'Opens the door',
        inputSchema: { type: 'object', properties: { speed: { type: ['number', 'string'] } }, required: ['speed'] },
        digests: { contract: expect.any(String) as string },
      },
    ]);
    expect(devices.status()).toMatchObject([{ name: 'door-1', type: 'device', state: 'ready' }]);
    expect(changed).toEqual(['door-1']);
  });

  test('a second registration adds to the first', async () => {
    const devices = await listener();
    const device = await registered(devices, 'door-1', door);
    device.register({ close: {} });
    await soon(async () => {
      expect((await devices.catalogue('door-1')).tools.map(({ name }) => name)).toEqual(['open', 'close']);
    });
  });

  test.each([
    ['a text', 'done', { content: [{ type: 'text', text: 'done' }] }],
    ['an object', { a: 1 }, { content: [{ type: 'text', text: '{"a":1}' }], structuredContent: { a: 1 } }],
    ['a list', [1, 2], { content: [{ type: 'text', text: '[1,2]' }] }],
    ['nothing', undefined, { content: [] }],
    ['the end of a frame', 'a ##END', { content: [{ type: 'text', text: 'a ##END' }] }],
  ])('a call comes back with %s', async (_, data, expected) => {
    const devices = await listener();
    const device = await registered(devices, 'door-1', door);
    const called = callDevice(devices, 'door-1', 'open', { speed: 2 });
    device.answer((await device.nextCall()).id, { success: true, data });
    expect(await called).toEqual(expected);
  });

  test('a failure is the failure of the tool', async () => {
    const devices = await listener();
    const device = await registered(devices, 'door-1', door);
    const called = failureOf(callDevice(devices, 'door-1', 'open', { speed: 2 }));
    device.answer((await device.nextCall()).id, { success: false, error: 'it is stuck' });
    expect(await called).toMatchObject({ code: 'tool-failed', message: 'it is stuck', delivery: 'answered' });
  });

  test('secrets are redacted from its messages, and its token is still accepted', async () => {
    const [token, secret] = ['token-4f3e2d1c', 'secret-9a8b7c6d'];
    const known = new KnownSecrets();
    known.learn('test', [token, secret]);
    const heard: string[] = [];
    const devices = await listener({ token, known, onText: async (_, __, text) => (heard.push(text), 'yes') });
    const device = await registered(devices, 'door-1', { open: { description: `Opens with ${secret}` } }, { token });
    expect(JSON.stringify(await devices.catalogue('door-1'))).toContain('Opens with [secret]');
    const called = callDevice(devices, 'door-1', 'open', {});
    device.answer((await device.nextCall()).id, { success: true, data: `it was ${secret}` });
    expect(JSON.stringify(await called)).toContain('it was [secret]');
    const failed = failureOf(callDevice(devices, 'door-1', 'open', {}));
    device.answer((await device.nextCall()).id, { success: false, error: `not ${secret}` });
    expect(await failed).toMatchObject({ message: 'not [secret]' });
    // Cut in two, it is whole again before it is looked through.
    device.write(`##START\x04task00010000say secret-9a8##END##START\x04task0001[0001]b7c6d##END`);
    device.write('##START\x03task00010002##END');
    await device.next();
    expect(heard).toEqual(['say [secret]']);
  });

  test('an answer without result and error leaves the outcome unknown', async () => {
    const devices = await listener();
    const device = await registered(devices, 'door-1', door);
    const called = failureOf(callDevice(devices, 'door-1', 'open', { speed: 2 }));
    device.answer((await device.nextCall()).id, 'ok');
    expect(await called).toMatchObject({ code: 'invalid-result', delivery: 'unknown' });
  });

  test('arguments that do not fit are not sent', async () => {
    const devices = await listener();
    const device = await registered(devices, 'door-1', door);
    const failed = (tool: string, args = {}) => failureOf(callDevice(devices, 'door-1', tool, args));
    expect(await failed('open')).toMatchObject({ code: 'invalid-arguments', delivery: 'unsent' });
    expect(await failed('open', { speed: true })).toMatchObject({ code: 'invalid-arguments', delivery: 'unsent' });
    expect(await failed('open', { speed: 0 })).toMatchObject({ code: 'invalid-arguments', delivery: 'unsent' });
    expect(await failed('opne')).toMatchObject({
      code: 'tool-not-found',
      message: expect.stringContaining('Did you mean') as string,
    });
    expect(await failureOf(callDevice(devices, 'door-2', 'open'))).toMatchObject({
      code: 'server-unreachable',
      delivery: 'unsent',
    });
    expect(device.bytes()).toBe('');
  });

  test('results find their calls in any order, each once', async () => {
    const devices = await listener();
    const device = await registered(devices, 'lamp', { set: {} });
    const calls = [1, 2, 3].map((n) => callDevice(devices, 'lamp', 'set', { n }));
    const asked = [await device.nextCall(), await device.nextCall(), await device.nextCall()];
    device.answer('no such call', { success: true, data: 'x' });
    for (const { id, params } of asked.toReversed())
      device.answer(id, { success: true, data: `set ${JSON.stringify(params['n'])}` });
    for (const { id } of asked) device.answer(id, { success: false, error: 'again' });
    expect((await Promise.all(calls)).map(({ content }) => content)).toEqual(
      [1, 2, 3].map((n) => [{ type: 'text', text: `set ${n}` }]),
    );
  });
});

describe('a call whose answer does not come', () => {
  const oneCall = async (
    limits = {},
  ): Promise<{ device: TestDevice; devices: Awaited<ReturnType<typeof listener>> }> => {
    const devices = await listener({ limits });
    return { devices, device: await registered(devices, 'slow', { work: {} }) };
  };

  test('is of unknown outcome when the device goes', async () => {
    const { devices, device } = await oneCall();
    const failed = failureOf(callDevice(devices, 'slow', 'work'));
    await device.nextCall();
    device.socket.destroy();
    expect(await failed).toMatchObject({ code: 'connection-lost', delivery: 'unknown' });
    expect(await failureOf(callDevice(devices, 'slow', 'work'))).toMatchObject({ delivery: 'unsent' });
    expect(devices.status()).toMatchObject([{ name: 'slow', state: 'failing', sessions: { open: 0 } }]);
  });

  test('fails when its time is over, and its late result goes to no other call', async () => {
    const { devices, device } = await oneCall();
    const failed = await failureOf(callDevice(devices, 'slow', 'work', {}, { timeout: { totalMs: 20 } }));
    expect(failed).toMatchObject({ code: 'timeout', delivery: 'unknown' });
    const late = await device.nextCall();
    const next = callDevice(devices, 'slow', 'work');
    const { id } = await device.nextCall();
    device.answer(late.id, { success: true, data: 'late' });
    device.answer(id, { success: true, data: 'in time' });
    expect(await next).toEqual({ content: [{ type: 'text', text: 'in time' }] });
  });

  test('is of unknown outcome when it is stopped', async () => {
    const { devices, device } = await oneCall();
    const stop = new AbortController();
    const failed = failureOf(callDevice(devices, 'slow', 'work', {}, { signal: stop.signal }));
    await device.nextCall();
    stop.abort('enough');
    expect(await failed).toMatchObject({ code: 'cancelled', delivery: 'unknown' });
  });

  test('lets others wait, and those were not sent', async () => {
    const { devices, device } = await oneCall({ inFlight: 1 });
    const first = failureOf(callDevice(devices, 'slow', 'work'));
    await device.nextCall();
    const second = failureOf(callDevice(devices, 'slow', 'work'));
    await expect.poll(() => devices.status()).toMatchObject([{ waiting: 1 }]);
    device.socket.destroy();
    expect(await first).toMatchObject({ delivery: 'unknown' });
    expect(await second).toMatchObject({ code: 'connection-lost', delivery: 'unsent' });
  });

  test('is not sent where the worker may not act any more', async () => {
    const { devices, device } = await oneCall();
    const beginSend = (): boolean => false;
    const failed = await failureOf(callDevice(devices, 'slow', 'work', {}, { beginSend }));
    expect(failed).toMatchObject({ code: 'worker-lost', delivery: 'unsent' });
    expect(device.bytes()).toBe('');
  });

  test('fails with the reason when the listener is closed', async () => {
    const { devices, device } = await oneCall();
    const failed = failureOf(callDevice(devices, 'slow', 'work'));
    await device.nextCall();
    await devices.close();
    expect(await failed).toMatchObject({ code: 'connection-lost', delivery: 'unknown' });
    await device.closed;
  });
});

describe('names', () => {
  test('a device that comes back is the same server, with what it offers now', async () => {
    const devices = await listener();
    const first = await registered(devices, 'door-1', { open: {} });
    first.socket.destroy();
    await expect.poll(() => devices.status()).toMatchObject([{ state: 'failing' }]);
    expect(devices.names).toEqual(['door-1']);
    const again = await registered(devices, 'door-1', { close: {}, lock: {} });
    const called = callDevice(devices, 'door-1', 'lock');
    again.answer((await again.nextCall()).id, { success: true });
    expect(await called).toEqual({ content: [] });
  });

  test('of two devices with one name the second is refused, and the first stays connected', async () => {
    const devices = await listener();
    const first = await registered(devices, 'door-1', { open: {} });
    const second = await connectDevice(devices.port);
    second.register({ open: {}, steal: {} }, { device: 'door-1' });
    expect(await second.next()).toMatchObject(errorFrame('device-taken'));
    await second.closed;
    const called = callDevice(devices, 'door-1', 'open');
    first.answer((await first.nextCall()).id, { success: true, data: 'mine' });
    expect(await called).toEqual({ content: [{ type: 'text', text: 'mine' }] });
  });

  test('a device cannot take the name of a configured server', async () => {
    const devices = await listener({ isReserved: (name) => name === 'files' });
    const device = await connectDevice(devices.port);
    device.register({ read: {} }, { device: 'files' });
    expect(await device.next()).toMatchObject(errorFrame('device-reserved'));
    await device.closed;
    expect(devices.names).toEqual([]);
  });

  test('those without a name are numbered, and forgotten when they go', async () => {
    const devices = await listener();
    const one = await connectDevice(devices.port);
    one.register({ a: {} });
    await expect.poll(() => devices.names).toEqual(['device-1']);
    const two = await connectDevice(devices.port);
    two.register({ b: {} });
    await expect.poll(() => devices.names).toEqual(['device-1', 'device-2']);
    one.socket.destroy();
    await expect.poll(() => devices.names).toEqual(['device-2']);
  });

  test('a connection keeps its name', async () => {
    const devices = await listener();
    const device = await registered(devices, 'door-1', { open: {} });
    device.register({ other: {} }, { device: 'door-2' });
    expect(await device.next()).toMatchObject(errorFrame('device-renamed'));
    expect(devices.names).toEqual(['door-1']);
  });
});

describe('texts', () => {
  test('of several frames are one, and so are answers', async () => {
    const answer = `##END ${'x'.repeat(40_000)} ##START\x06`;
    const heard: string[] = [];
    const devices = await listener({ onText: async (_, __, text) => (heard.push(text), answer) });
    const device = await connectDevice(devices.port);
    device.write('##START\x04task00010000one ##END##START\x04task0001[0001]two##END##START\x03task00010002##END');
    let read = '';
    for (let frame = await device.next(); frame.kind !== 'end'; frame = await device.next()) {
      if (frame.kind === 'text') read += frame.text;
    }
    expect([heard, read]).toEqual([['one two'], answer]);
  });

  test('without an end are answered too', async () => {
    const devices = await listener({ limits: { textSilenceMs: 10 } });
    const device = await connectDevice(devices.port);
    device.write('##START\x04task00010000hello##END');
    expect(await device.next()).toMatchObject({ kind: 'text', text: 'device-1 task0001: hello' });
    expect(await device.next()).toMatchObject({ kind: 'end', taskId: 'task0001', sequence: 1 });
  });

  test('are answered with the failure', async () => {
    const onText = (): Promise<string> => Promise.reject(new FailureError('server-unknown', 'No workflow listens.'));
    const devices = await listener({ onText });
    const device = await connectDevice(devices.port);
    device.write(question, questionEnd);
    expect(await device.next()).toMatchObject({ kind: 'text', text: 'No workflow listens. (server-unknown)' });
  });
});

test('other machines are not listened to without a token', async () => {
  const onText = async (): Promise<string> => '';
  await expect(openDevices({ host: '0.0.0.0', port: 0, onText, now: Date.now })).rejects.toThrow('need a token');
});

test('a port that is taken is a failure, not a crash', async () => {
  const { port } = await listener();
  await expect(listener({ port })).rejects.toMatchObject({ code: 'server-unreachable' });
});

test('a message that is larger than a device may get is not sent', async () => {
  const devices = await listener({ limits: { payloadBytes: 1_000 } });
  const device = await registered(devices, 'small', { take: {} });
  const failed = failureOf(callDevice(devices, 'small', 'take', { text: 'x'.repeat(2_000) }));
  expect(await failed).toMatchObject({ code: 'limit-exceeded', delivery: 'unsent' });
  device.write(encodeMessage({ type: 'result', data: { call_id: 'x'.repeat(2_000) } }));
  expect(await device.next()).toMatchObject(errorFrame('bad-frame'));
});
