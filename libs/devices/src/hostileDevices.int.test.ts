/** Any program that reaches the port can pretend to be a device. */
import { once } from 'node:events';
import { connect } from 'node:net';

import { soon } from '@baton/testing';
import { describe, expect, onTestFinished, test } from 'vitest';

import { callDevice, connectDevice, errorFrame, failureOf, listener, registered } from './testing/testDevice.ts';

/** Too long to try them all; never shown. */
const token = 'a token of thirty-two characters';

describe('where a token is required', () => {
  test('the right one is accepted', async () => {
    const devices = await listener({ token });
    const device = await connectDevice(devices.port);
    device.register({ open: {} }, { device: 'door-1', token });
    await expect.poll(() => devices.names).toEqual(['door-1']);
  });

  test.each([
    ['a wrong one', { token: `${token}x` }],
    ['an empty one', { token: '' }],
    ['none', {}],
  ])('%s does not', async (_, shown) => {
    const problems: string[] = [];
    const devices = await listener({ token, onTrouble: ({ problem }) => problems.push(problem) });
    const device = await connectDevice(devices.port);
    device.register({ open: {} }, { device: 'door-1', ...shown });
    expect(await device.next()).toMatchObject(errorFrame('unauthorized'));
    await device.closed;
    expect(devices.names).toEqual([]);
    expect(problems.join()).not.toContain(token);
  });

  test('no message of a device counts before it', async () => {
    const heard: string[] = [];
    const devices = await listener({ token, onText: async (_, __, text) => (heard.push(text), '') });
    const device = await connectDevice(devices.port);
    device.write('##START\x04task12340000hello##END##START\x03task12340001##END');
    expect(await device.next()).toMatchObject(errorFrame('unauthorized'));
    await device.closed;
    expect(heard).toEqual([]);
  });
});

describe('is disconnected', () => {
  const frame = (json: string): string => `##START\x06mcp00001[0000]${json}##END`;

  test.each([
    ['which sends results of no call', frame('{"type":"result","data":{"call_id":"x","result":{}}}')],
    ['who sends what is no message', frame('[]')],
    ['who sends what is no JSON', frame('{')],
    ['who sends what is no frame', 'x'.repeat(4_096)],
    ['who registers again and again', frame('{"type":"register","data":{"services":{"a":{}}}}')],
    ['who begins one frame after the other', '##START\x06mcp00001[0000]{"a":"'],
  ])('%s', async (_, flood) => {
    const problems: string[] = [];
    const onTrouble = ({ problem }: { problem: string }): void => void problems.push(problem);
    const devices = await listener({ limits: { perSecond: 0 }, onTrouble });
    const device = await connectDevice(devices.port);
    device.register({ a: {} }, { device: 'flood' });
    device.write(flood.repeat(2_000));
    await device.closed;
    expect(problems.at(-1)).toBe('It sent too many messages that belong to no call.');
    await expect.poll(() => devices.status()).toMatchObject([{ state: 'failing' }]);
    const other = await registered(devices, 'other', { ping: {} });
    const called = callDevice(devices, 'other', 'ping');
    other.answer((await other.nextCall()).id, { success: true, data: 'pong' });
    expect(await called).toEqual({ content: [{ type: 'text', text: 'pong' }] });
  });

  test('a client that sends nothing', async () => {
    const devices = await listener({ limits: { introductionMs: 10 } });
    const device = await connectDevice(devices.port);
    expect(await device.next()).toMatchObject(errorFrame('silent'));
    await device.closed;
  });
});

test('a frame without an end is not kept, however long it becomes', async () => {
  const devices = await listener({ limits: { payloadBytes: 10_000 } });
  const device = await registered(devices, 'endless', { a: {} });
  device.write(`##START\x06mcp00001[0000]"${'x'.repeat(20_000)}`);
  expect(await device.next()).toMatchObject({
    message: { data: { message: expect.stringContaining('10000') as string } },
  });
});

test('less is buffered for a client that has not registered', async () => {
  const devices = await listener({ limits: { introductionBytes: 1_000 } });
  const stranger = await connectDevice(devices.port);
  stranger.register({ a: { description: 'x'.repeat(2_000) } }, { device: 'wordy' });
  expect(await stranger.next()).toMatchObject(errorFrame('bad-frame'));
  const device = await registered(devices, 'brief', { a: {} });
  device.register({ b: { description: 'x'.repeat(2_000) } });
  await expect.poll(async () => (await devices.catalogue('brief')).tools).toHaveLength(2);
});

test('one fault is tolerated: later messages count', async () => {
  const devices = await listener();
  const device = await registered(devices, 'clumsy', { a: {} });
  const called = callDevice(devices, 'clumsy', 'a');
  const { id } = await device.nextCall();
  device.write('rubbish##START\x06mcp00001[0000]{"type":"result","data":{##END');
  device.answer(id, { success: true, data: 'well' });
  expect(await called).toEqual({ content: [{ type: 'text', text: 'well' }] });
});

test('a device that reads nothing fails its own calls, and its outbox is limited', async () => {
  const devices = await listener({ limits: { outboxBytes: 1_000, inFlight: 1_000 } });
  const device = await registered(devices, 'deaf', { take: {} });
  device.socket.pause();
  const stop = new AbortController();
  const calls: Promise<{ code: string }>[] = [];
  const text = 'x'.repeat(500_000);
  // How much the kernel takes before anything is kept here is its own affair.
  await soon(async () => {
    calls.push(failureOf(callDevice(devices, 'deaf', 'take', { text }, { signal: stop.signal })));
    const failed = await Promise.race([calls.at(-1), new Promise((resolve) => setImmediate(resolve))]);
    expect(failed).toMatchObject({ code: 'server-overloaded', delivery: 'unsent' });
  });
  stop.abort('enough');
  const codes = (await Promise.all(calls)).map(({ code }) => code);
  expect(new Set(codes)).toEqual(new Set(['cancelled', 'server-overloaded']));
});

test('the services of a device are limited', async () => {
  const devices = await listener({ limits: { services: 2 } });
  const device = await registered(devices, 'rich', { a: {}, b: {} });
  device.register({ c: {} });
  expect(await device.next()).toMatchObject(errorFrame('too-many-services'));
  expect((await devices.catalogue('rich')).tools).toHaveLength(2);
});

test('the texts answered at once are limited', async () => {
  const { promise, resolve } = Promise.withResolvers<string>();
  const devices = await listener({ limits: { tasks: 1, perSecond: 0 }, onText: () => promise });
  const device = await connectDevice(devices.port);
  device.write('##START\x04task00010000a##END##START\x03task00010001##END');
  device.write('##START\x04task00010000a##END', '##START\x04task00020000b##END');
  expect(await device.next()).toMatchObject(errorFrame('task-busy'));
  expect(await device.next()).toMatchObject(errorFrame('too-many-tasks'));
  resolve('done');
  expect(await device.next()).toMatchObject({ kind: 'text', taskId: 'task0001', text: 'done' });
});

test('the connections are limited', async () => {
  const devices = await listener({ limits: { connections: 1 } });
  await registered(devices, 'first', { a: {} });
  const second = connect({ host: '127.0.0.1', port: devices.port });
  onTestFinished(() => void second.destroy());
  second.on('error', () => {});
  await once(second, 'close');
  expect(devices.names).toEqual(['first']);
});

test('invalid services are reported, and the others are registered', async () => {
  const devices = await listener();
  const device = await connectDevice(devices.port);
  device.register({ 'a b': {}, good: {} }, { device: 'mixed' });
  expect(await device.next()).toMatchObject(errorFrame('bad-service'));
  const { tools, problems } = await devices.catalogue('mixed');
  expect(tools.map(({ name }) => name)).toEqual(['good']);
  expect(problems).toEqual([expect.stringContaining('"a b"')]);
});
