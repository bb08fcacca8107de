/** For this room's tests: a device that sends given bytes, and a listener for it. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

import type { FailureError } from '@baton/engine';
import { type JsonObject, Latch } from '@baton/primitives';
import { type DeviceFrame, type FrameFault, encodeMessage, FrameDecoder } from '@baton/protocol';
import type { CallContext } from '@baton/runner';
import { callContext, soon } from '@baton/testing';
import { HttpClient } from '@baton/transports';
import { onTestFinished } from 'vitest';

import { openDevices, type Devices, type DevicesOptions } from '../openDevices.ts';

type ReceivedFrame = DeviceFrame | FrameFault;

export interface TestDevice {
  readonly socket: Socket;
  /** All bytes received so far, as Latin-1. */
  readonly bytes: () => string;
  /** Waits for the next frame. */
  next(): Promise<ReceivedFrame>;
  write(...frames: readonly (string | Uint8Array)[]): void;
  register(services: object, more?: object): void;
  /** The next frame, which must be a call. */
  nextCall(): Promise<{ readonly id: string; readonly method: string; readonly params: JsonObject }>;
  answer(callId: string, result: unknown): void;
  /** Resolves when the listener has ended the connection. */
  readonly closed: Promise<unknown>;
}

export async function listener(options: Partial<DevicesOptions> = {}): Promise<Devices> {
  const devices = await openDevices({
    host: '127.0.0.1',
    port: 0,
    now: Date.now,
    onText: async (device, taskId, text) => `${device} ${taskId}: ${text}`,
    ...options,
  });
  onTestFinished(() => devices.close());
  return devices;
}

export async function connectDevice(port: number): Promise<TestDevice> {
  const socket = connect({ host: '127.0.0.1', port, noDelay: true });
  onTestFinished(() => void socket.destroy());
  const decoder = new FrameDecoder({ payloadBytes: 16 * 1024 * 1024, depth: 100 });
  const received: ReceivedFrame[] = [];
  let text = '';
  const latch = new Latch();
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1');
    received.push(...decoder.push(chunk));
    latch.raise();
  });
  socket.on('error', () => {});
  const closed = new Promise((resolve) => socket.on('close', resolve));
  await once(socket, 'connect');
  const next = async (): Promise<ReceivedFrame> => {
    for (;;) {
      const frame = received.shift();
      if (frame !== undefined) return frame;
      await latch.wait();
    }
  };
  const write: TestDevice['write'] = (...frames) => {
    for (const frame of frames) socket.write(frame);
  };
  return {
    socket,
    bytes: () => text,
    next,
    write,
    register: (services, more = {}) =>
      write(encodeMessage({ type: 'register', data: { services, ...more } as unknown as JsonObject })),
    async nextCall() {
      const frame = await next();
      if (frame.kind !== 'json') throw new Error(`not a call: ${JSON.stringify(frame)}`);
      const { type, data } = frame.message as { type: string; data: Record<string, unknown> };
      if (type !== 'call') throw new Error(`not a call: ${JSON.stringify(frame)}`);
      return { id: data['call_id'] as string, method: data['method'] as string, params: data['params'] as JsonObject };
    },
    answer: (callId, result) =>
      write(encodeMessage({ type: 'result', data: { call_id: callId, result } as unknown as JsonObject })),
    closed,
  };
}

/** A connected device with this name and these services. */
export async function registered(
  devices: Devices,
  name: string,
  services: object,
  more: object = {},
): Promise<TestDevice> {
  const device = await connectDevice(devices.port);
  device.register(services, { device: name, ...more });
  await soon(async () => {
    const { tools } = await devices.catalogue(name);
    if (tools.length !== Object.keys(services).length) throw new Error('not yet');
  });
  return device;
}

export const callDevice = (
  { calls }: Pick<Devices, 'calls'>,
  server: string,
  tool: string,
  args: JsonObject = {},
  context: Partial<CallContext> = {},
): Promise<JsonObject> =>
  calls.callTool({ server, tool, arguments: args }, callContext(context)).then(({ result }) => result);

/** For `relayedDevices`. */
export const openHttp = (limits: { readonly bodyBytes: number; readonly timeLimitMs: number }): HttpClient =>
  new HttpClient({ ...limits, addresses: { loopback: true, networks: [] } });

/** The failure of a call that must fail. */
export const failureOf = (call: Promise<JsonObject>): Promise<FailureError> =>
  call.then(
    (result) => {
      throw new Error(`the call succeeded: ${JSON.stringify(result)}`);
    },
    (error: FailureError) => error,
  );

/** An error that the listener sent, by its code. */
export const errorFrame = (code: string): object => ({ kind: 'json', message: { type: 'error', data: { code } } });
