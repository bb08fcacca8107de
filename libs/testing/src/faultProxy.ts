/** A TCP proxy in front of a server, for tests that break connections at a chosen moment. */
import { once } from 'node:events';
import { type Socket, connect, createServer } from 'node:net';

export interface FaultProxy {
  readonly port: number;
  /** The next bytes that the client sends are not passed on; the connection breaks instead. */
  cutAtRequest(): void;
  /** The next bytes that the server sends are not passed on; the connection breaks instead. */
  cutAtAnswer(): void;
  /** All connections, now. */
  cutAll(): void;
  /** The server is away: connections break, and new ones are broken as soon as they are made. */
  refuse(isRefusing: boolean): void;
  /** Connections stay, new ones are taken, and nothing passes in either direction until the silence is lifted. */
  silence(isSilent: boolean): void;
  /** What a firewall does that forgets: connections that are open now fall silent for good, new ones are good. */
  forget(): void;
  /** A Postgres that says no, in its own words: to open sessions now, and to each new one until this is lifted. */
  sayNo(refusal: Refusal | undefined): void;
  close(): Promise<void>;
}

/** As in an ErrorResponse: 57P03 to new sessions, for example, and 57P01 to open ones. */
interface Refusal {
  readonly toNew: string;
  readonly toOpen: string;
}

export interface ProxyTarget {
  readonly host: string;
  readonly port: number;
}

/** `target`: a function where it may change; connections that are open stay with the one before. */
export async function faultProxy(target: ProxyTarget | (() => ProxyTarget)): Promise<FaultProxy> {
  const pairs = new Set<readonly [Socket, Socket]>();
  let isRefusing = false;
  let isSilent = false;
  let armed: 'request' | 'answer' | undefined;
  let refusal: Refusal | undefined;
  const server = createServer((client) => {
    if (isRefusing) return void client.destroy();
    if (refusal !== undefined) return refuseSession(client, refusal.toNew);
    const upstream = connect(typeof target === 'function' ? target() : target);
    const pair = [client, upstream] as const;
    pairs.add(pair);
    const end = (): void => {
      pairs.delete(pair);
      client.destroy();
      upstream.destroy();
    };
    const pass = (from: Socket, to: Socket, direction: typeof armed): void => {
      from.on('data', (chunk) => {
        if (armed === direction) {
          armed = undefined;
          return end();
        }
        to.write(chunk);
      });
      from.on('error', end).on('close', end);
    };
    pass(client, upstream, 'request');
    pass(upstream, client, 'answer');
    if (isSilent) for (const socket of pair) socket.pause();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('a TCP server has a port');
  const cutAll = (): void => {
    for (const [client, upstream] of pairs) {
      client.destroy();
      upstream.destroy();
    }
  };
  return {
    port: address.port,
    cutAtRequest: () => void (armed = 'request'),
    cutAtAnswer: () => void (armed = 'answer'),
    cutAll,
    refuse: (isOn) => {
      isRefusing = isOn;
      if (isOn) cutAll();
    },
    silence: (isOn) => {
      isSilent = isOn;
      for (const socket of [...pairs].flat()) {
        if (isOn) socket.pause();
        else socket.resume();
      }
    },
    forget: () => {
      for (const [client, upstream] of pairs) {
        client.removeAllListeners('data').resume();
        upstream.removeAllListeners('data').resume();
      }
    },
    sayNo: (given) => {
      refusal = given;
      if (given === undefined) return;
      for (const [client, upstream] of pairs) {
        upstream.removeAllListeners('data').destroy();
        client.end(errorResponse(given.toOpen));
      }
    },
    close: async () => {
      // A connection that is taken from now on would keep the server open.
      isRefusing = true;
      cutAll();
      server.close();
      await once(server, 'close');
    },
  };
}

/** The startup packet is read, as Postgres does, and answered. */
function refuseSession(client: Socket, sqlState: string): void {
  client.on('error', () => client.destroy());
  client.once('data', () => client.end(errorResponse(sqlState)));
}

/** PostgreSQL 18, 54.7 "Message Formats": ErrorResponse. */
function errorResponse(sqlState: string): Buffer {
  const fields = ['SFATAL', 'VFATAL', `C${sqlState}`, 'Mthe database system says no'];
  const body = Buffer.from(`${fields.join('\0')}\0\0`);
  const head = Buffer.alloc(5, 'E');
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}
