/** A run on one worker, its device connected elsewhere: calls go through the process that listens. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

import type { ServerGroup } from '@baton/runner';
import { describe, expect, onTestFinished, test } from 'vitest';

import type { Devices } from '../openDevices.ts';
import { callDevice, failureOf, listener, openHttp, registered } from '../testing/testDevice.ts';
import { deviceRelay } from './deviceRelay.ts';
import { relayedDevices } from './relayedDevices.ts';
import { deviceRelayKey } from './relayMessage.ts';

const key = deviceRelayKey(Buffer.alloc(32, 1));

type Handle = (request: IncomingMessage, response: ServerResponse) => void;

/** As the orchestrator does it. */
const relaying = (devices: Devices): Handle => {
  const relay = deviceRelay(devices, key);
  return (request, response) => {
    const gone = new AbortController();
    response.on('close', () => gone.abort('the worker hung up'));
    void json(request).then(async (body) => {
      const reply = await relay({ authorization: request.headers.authorization, body, signal: gone.signal });
      response.writeHead(reply.status, { 'content-type': 'application/json' }).end(JSON.stringify(reply.body));
    });
  };
};

async function served(handle: Handle): Promise<{ readonly url: string; readonly server: Server }> {
  const server = createServer(handle).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/internal/devices`, server };
}

function worker(url: string, options: { key?: string; marginMs?: number } = {}): ServerGroup {
  const devices = relayedDevices({ url, key, openHttp, ...options });
  onTestFinished(() => devices.close());
  return devices;
}

describe('through the relay', () => {
  const door = { open: { parameters: { properties: { speed: { type: 'number' } } } } };

  test('a device is called, and comes back with what it did', async () => {
    const devices = await listener();
    const device = await registered(devices, 'door-1', door);
    const { url } = await served(relaying(devices));
    const called = callDevice(worker(url), 'door-1', 'open', { speed: 2 });
    const { id, params } = await device.nextCall();
    expect(params).toEqual({ speed: 2 });
    device.answer(id, { success: true, data: { open: true } });
    expect(await called).toMatchObject({ structuredContent: { open: true } });
  });

  test('what it offers is the same', async () => {
    const devices = await listener();
    await registered(devices, 'door-1', door);
    const { url } = await served(relaying(devices));
    expect(await worker(url).catalogue('door-1')).toEqual(await devices.catalogue('door-1'));
  });

  test('failures arrive as they are', async () => {
    const devices = await listener();
    const device = await registered(devices, 'door-1', door);
    const { url } = await served(relaying(devices));
    const at = worker(url);
    const stuck = failureOf(callDevice(at, 'door-1', 'open'));
    device.answer((await device.nextCall()).id, { success: false, error: 'it is stuck' });
    expect(await stuck).toMatchObject({ code: 'tool-failed', message: 'it is stuck', delivery: 'answered' });
    const invalid = await failureOf(callDevice(at, 'door-1', 'open', { speed: 'fast' }));
    expect(invalid).toMatchObject({ code: 'invalid-arguments', delivery: 'unsent', failure: { details: {} } });
    const away = await failureOf(callDevice(at, 'door-2', 'open'));
    expect(away).toMatchObject({ code: 'server-unreachable', delivery: 'unsent' });
    await expect(at.catalogue('door-2')).rejects.toMatchObject({ code: 'server-unreachable' });
    const late = await failureOf(callDevice(at, 'door-1', 'open', {}, { timeout: { totalMs: 20 } }));
    expect(late).toMatchObject({ code: 'timeout', delivery: 'unknown' });
  });

  test('a device that goes leaves the outcome unknown', async () => {
    const devices = await listener();
    const device = await registered(devices, 'door-1', door);
    const { url } = await served(relaying(devices));
    const lost = failureOf(callDevice(worker(url), 'door-1', 'open'));
    await device.nextCall();
    device.socket.destroy();
    expect(await lost).toMatchObject({ code: 'connection-lost', delivery: 'unknown' });
  });

  test('stopping a call is known at the other end', async () => {
    const devices = await listener();
    const device = await registered(devices, 'door-1', door);
    const { url } = await served(relaying(devices));
    const stop = new AbortController();
    const stopped = failureOf(callDevice(worker(url), 'door-1', 'open', {}, { signal: stop.signal }));
    await device.nextCall();
    expect(devices.status()).toMatchObject([{ sessions: { inFlight: 1 } }]);
    stop.abort('enough');
    expect(await stopped).toMatchObject({ code: 'cancelled', delivery: 'unknown' });
    await expect.poll(() => devices.status()).toMatchObject([{ sessions: { inFlight: 0 } }]);
  });

  test('the wrong key opens nothing', async () => {
    const devices = await listener();
    const device = await registered(devices, 'door-1', door);
    const { url } = await served(relaying(devices));
    const other = worker(url, { key: deviceRelayKey(Buffer.alloc(32, 2)) });
    const failed = await failureOf(callDevice(other, 'door-1', 'open'));
    expect(failed).toMatchObject({ code: 'server-unreachable', delivery: 'rejected' });
    expect(device.bytes()).toBe('');
  });
});

describe('when the process with the devices', () => {
  test('is not there, nothing was sent', async () => {
    const { url, server } = await served(() => {});
    server.close();
    await once(server, 'close');
    const failed = await failureOf(callDevice(worker(url), 'door-1', 'open'));
    expect(failed).toMatchObject({ code: 'server-unreachable', delivery: 'unsent' });
  });

  test('dies during a call, its outcome is unknown', async () => {
    const { url } = await served((request) => request.socket.destroy());
    const failed = await failureOf(callDevice(worker(url), 'door-1', 'open'));
    expect(failed).toMatchObject({ code: 'connection-lost', delivery: 'unknown' });
  });

  test('meets a bug, the outcome is unknown', async () => {
    const { url } = await served((_, response) => void response.writeHead(500).end('{}'));
    const failed = await failureOf(callDevice(worker(url), 'door-1', 'open'));
    expect(failed).toMatchObject({ code: 'connection-lost', delivery: 'unknown' });
  });

  test('never answers, the call is given up', async () => {
    const { url } = await served(() => {});
    const context = { timeout: { totalMs: 1 } };
    const failed = await failureOf(callDevice(worker(url, { marginMs: 500 }), 'door-1', 'open', {}, context));
    expect(failed).toMatchObject({ code: 'timeout' });
  });

  test.each(['nonsense', '{}', '{"failure":{"code":"no-such-code","message":"x","delivery":"unsent"}}'])(
    'answers %s, the outcome is unknown',
    async (body) => {
      const { url } = await served((_, response) => void response.end(body));
      const failed = await failureOf(callDevice(worker(url), 'door-1', 'open'));
      expect(failed).toMatchObject({ code: 'invalid-result', delivery: 'unknown' });
    },
  );
});

test('what is no question is refused', async () => {
  const relay = deviceRelay(await listener(), key);
  const { signal } = new AbortController();
  const authorization = `Bearer ${key}`;
  expect(await relay({ authorization, body: { kind: 'other' }, signal })).toMatchObject({ status: 400 });
  expect(await relay({ authorization: undefined, body: {}, signal })).toEqual({ status: 401, body: {} });
});
