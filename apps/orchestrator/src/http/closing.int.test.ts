import { once } from 'node:events';
import { createServer } from 'node:http';
import { type Socket, connect } from 'node:net';

import fastify from 'fastify';
import { expect, onTestFinished, test } from 'vitest';

import { closerOf } from './closing.ts';

const gone = (socket: Socket): Promise<boolean> =>
  new Promise((resolve) => void socket.once('close', () => resolve(true)));

/** A server with one address, `/`, which is answered when `answer` is called. */
async function open() {
  const answering = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  const app = fastify({ serverFactory: (handler) => createServer(handler) });
  app.get('/', async () => {
    asked.resolve();
    await answering.promise;
    return 'answered';
  });
  const closing = closerOf(app);
  const { port } = new URL(await app.listen({ host: '127.0.0.1', port: 0 }));
  const reach = async (text: string): Promise<Socket> => {
    const socket = connect(Number(port), '127.0.0.1');
    socket.on('error', () => undefined);
    onTestFinished(() => void socket.destroy());
    await Promise.all([once(socket, 'connect'), once(app.server, 'connection')]);
    socket.write(text);
    return socket;
  };
  return { close: (graceMs: number) => closing.close(graceMs), reach, answer: answering.resolve, asked: asked.promise };
}

/** Within the time of a test. */
const never = 2 ** 31 - 1;
const request = 'GET / HTTP/1.1\r\nhost: localhost\r\n\r\n';

test('closing does not wait for connections without a whole request', async () => {
  const door = await open();
  const sockets = [await door.reach(''), await door.reach(request.slice(0, 20))];
  const all = Promise.all(sockets.map(gone));
  await door.close(never);
  expect(await all).toEqual([true, true]);
});

test('requests in progress are answered within the grace time', async () => {
  const door = await open();
  const socket = await door.reach(request);
  const [got] = [once(socket, 'data'), await door.asked];
  const closed = door.close(never);
  door.answer();
  expect(String(await got)).toMatch(/answered$/);
  await closed;
});

test('a connection whose request is answered meanwhile is closed, also if its client keeps it', async () => {
  const door = await open();
  const socket = await door.reach(request);
  socket.resume();
  await door.asked;
  const closed = door.close(never);
  door.answer();
  expect(await gone(socket)).toBe(true);
  await closed;
});

test('requests that are not answered in time are cut', async () => {
  const door = await open();
  const socket = await door.reach(request);
  await door.asked;
  const closed = door.close(20);
  expect(await gone(socket)).toBe(true);
  door.answer();
  await closed;
});
