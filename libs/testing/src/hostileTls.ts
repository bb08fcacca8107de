/**
 * A server that begins TLS and ends it badly, each connection in another way. What a library does with a socket that fails
 * twice, late or in the middle of a handshake shows here: an error that has no listener ends a process.
 */
import { once } from 'node:events';
import { type AddressInfo, type Socket, createServer } from 'node:net';
import { TLSSocket } from 'node:tls';

import { testCertificate } from './testCertificate.ts';

type Way = (socket: Socket) => void;

export interface HostileTls {
  readonly port: number;
  /** How many connections have met an end. */
  ended(): number;
  close(): Promise<void>;
}

/** `welcome`: what a client waits for before it begins TLS, after a first message: `S` as Postgres has it. */
export async function hostileTls(welcome?: string): Promise<HostileTls> {
  const certificate = testCertificate();
  const handshake = (socket: Socket): TLSSocket =>
    new TLSSocket(socket, { isServer: true, key: certificate.key, cert: certificate.certificate }).on(
      'error',
      () => {},
    );
  // Of an unknown authority; and then nothing, an end or a break.
  const refused: readonly Way[] = [
    (socket) => void handshake(socket),
    (socket) => void handshake(socket).once('secure', () => socket.end()),
    (socket) => void handshake(socket).once('secure', () => socket.resetAndDestroy()),
  ];
  // In the middle of the handshake.
  const ends: readonly Way[] = [
    (socket) => void socket.end(),
    (socket) => void socket.resetAndDestroy(),
    (socket) => void socket.end(fatalAlert),
    (socket) => void socket.write('no TLS at all\n'),
    (socket) => void socket.end(Buffer.concat([fatalAlert, fatalAlert])),
  ];
  const broken = ends.map(
    (end): Way =>
      (socket) =>
        void socket.once('data', () => end(socket)),
  );
  const ways = [...refused, ...broken];
  const sockets = new Set<Socket>();
  let begun = 0;
  let ended = 0;
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}).once('close', () => (ended += 1)));
    const way = ways[(begun += 1) % ways.length];
    if (welcome === undefined) way?.(socket);
    else socket.once('data', () => socket.write(welcome, () => way?.(socket)));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = async (): Promise<void> => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  };
  return { port: (server.address() as AddressInfo).port, ended: () => ended, close };
}

/** TLS 1.2: internal_error. */
const fatalAlert = Buffer.of(0x15, 3, 3, 0, 2, 2, 80);
