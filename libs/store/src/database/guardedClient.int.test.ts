import { once } from 'node:events';
import { type Socket, connect, createServer } from 'node:net';

import { freshDatabase, hostileTls } from '@baton/testing';
import { type Client, type ClientConfig, Pool } from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';

import { GuardedClient } from './guardedClient.ts';
import { watchedClient } from './watchedClient.ts';

/** The end of a successful start-up: ready for queries, outside of a transaction. */
const ready = Buffer.from([0x5a, 0, 0, 0, 5, 0x49]);

/** What a backend writes when Postgres is stopped. */
function farewell(): Buffer {
  const fields = Buffer.from('SFATAL\0VFATAL\0C57P01\0Mterminating connection due to administrator command\0\0');
  const length = Buffer.alloc(4);
  length.writeInt32BE(fields.length + 4);
  return Buffer.concat([Buffer.from('E'), length, fields]);
}

/** The address of a Postgres that accepts each connection and ends it in one packet. */
async function stoppingPostgres(): Promise<string> {
  const { url, drop } = await freshDatabase('empty');
  const { hostname, port } = new URL(url);
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const postgres = connect(Number(port), hostname);
    for (const socket of [client, postgres]) sockets.add(socket.on('error', () => undefined));
    client.pipe(postgres);
    postgres.on('data', (chunk: Buffer) => {
      if (chunk.subarray(-ready.length).equals(ready)) client.end(Buffer.concat([chunk, farewell()]));
      else client.write(chunk);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await drop();
  });
  const through = new URL(url);
  through.hostname = '127.0.0.1';
  through.port = String((server.address() as { port: number }).port);
  return through.href;
}

const kinds: readonly (readonly [string, new (config?: ClientConfig) => Client])[] = [
  ['a connection', GuardedClient],
  ['a connection of the stores', watchedClient()],
];

test('a Postgres that ends TLS in every bad way is away for each connection, and no error is without a listener', async () => {
  const server = await hostileTls('S');
  const connectionString = `postgres://ada:secret@127.0.0.1:${server.port}/baton?sslmode=verify-full`;
  const pool = new Pool({ connectionString, Client: watchedClient() }).on('error', () => undefined);
  onTestFinished(async () => {
    await pool.end();
    await server.close();
  });
  for (let times = 1; times <= 32; times += 1) await expect(pool.query('select 1')).rejects.toBeInstanceOf(Error);
});

describe.each(kinds)('%s that Postgres accepts and ends in one packet', (_, kind) => {
  test('is refused to its caller, and no error is without a listener', async () => {
    const unheard: unknown[] = [];
    class Observed extends kind {
      override emit(event: string, ...given: unknown[]): boolean {
        if (event !== 'error' || this.listenerCount('error') > 0) return super.emit(event, ...given);
        unheard.push(given);
        return false;
      }
    }
    const pool = new Pool({ connectionString: await stoppingPostgres(), Client: Observed });
    onTestFinished(() => pool.end());
    await expect(pool.connect()).rejects.toThrow('not queryable');
    expect(unheard).toEqual([]);
  });
});
