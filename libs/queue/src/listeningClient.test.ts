/**
 * Goal: Postgres may end the connection on which BullMQ gets notifications at any moment.
 * Method: BullMQ's own connection, to a server that says in one packet that it is ready, and that the session has ended;
 * and to one that says so while BullMQ closes the connection. An unhandled error fails the run.
 */
import { once } from 'node:events';
import { type AddressInfo, type Socket, createServer } from 'node:net';

import { PostgresConnection } from 'bullmq';
import { Client } from 'pg';
import { expect, onTestFinished, test } from 'vitest';

import { listenSafely } from './listeningClient.ts';

const message = (type: string, body: Buffer): Buffer => {
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length + 4);
  return Buffer.concat([Buffer.from(type), length, body]);
};
const isReady = Buffer.concat([message('R', Buffer.alloc(4)), message('Z', Buffer.from('I'))]);
const hasEnded = message('E', Buffer.from('SFATAL\0C57P01\0Mterminating connection\0\0'));

/** `first`: what the server answers to a client that connects. */
async function connectionTo(first: Buffer): Promise<{ connection: PostgresConnection; sockets: Socket[] }> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined);
    socket.once('data', () => socket.write(first));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const connection = new PostgresConnection({ host: '127.0.0.1', port, user: 'ada', database: 'baton', ssl: false });
  listenSafely(connection, Client);
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { connection, sockets };
}

test('BullMQ hears of a connection that Postgres ended before BullMQ listened for its errors, and opens another', async () => {
  const { connection, sockets } = await connectionTo(Buffer.concat([isReady, hasEnded]));
  const invalidated = once(connection, 'listenerinvalidated');
  const first = await connection.getListenClient();
  await invalidated;
  expect(await connection.getListenClient()).not.toBe(first);
  expect(sockets).toHaveLength(2);
});

test('A connection that Postgres ends while BullMQ closes it ends no process', async () => {
  const { connection, sockets } = await connectionTo(isReady);
  const client = await connection.getListenClient();
  const closed = connection.close();
  expect((client as unknown as { listenerCount(event: string): number }).listenerCount('error')).toBe(1);
  sockets[0]?.end(hasEnded);
  await closed;
});
