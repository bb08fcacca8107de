/** A TCP proxy in front of a server, for tests that break connections at a chosen moment. */
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { connect, createServer } from 'node:net';

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
  close(): Promise<void>;
}

export async function faultProxy(target: { readonly host: string; readonly port: number }): Promise<FaultProxy> {
  const pairs = new Set<readonly [Socket, Socket]>();
  let isRefusing = false;
  let isSilent = false;
  let armed: 'request' | 'answer' | undefined;
  const server = createServer((client) => {
    if (isRefusing) return void client.destroy();
    const upstream = connect(target);
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
    close: async () => {
      cutAll();
      server.close();
      await once(server, 'close');
    },
  };
}
