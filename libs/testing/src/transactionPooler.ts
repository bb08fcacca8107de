/**
 * A pooler before Postgres, as PgBouncer is with `pool_mode = transaction`: each transaction of a client runs in whichever
 * session is free. It takes every client, and asks for no password.
 */
import { once } from 'node:events';
import { type AddressInfo, type Socket, createServer } from 'node:net';

import { Client } from 'pg';

export interface TransactionPooler {
  readonly url: string;
  close(): Promise<void>;
}

type Frame = (frame: Buffer) => void;

/** Of both directions after the start: a letter, and a length that counts itself. */
function framesOf(socket: NodeJS.ReadableStream, onFrame: Frame): void {
  let rest: Buffer = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= 5 && rest.length > rest.readUInt32BE(1)) {
      const end = 1 + rest.readUInt32BE(1);
      onFrame(rest.subarray(0, end));
      rest = rest.subarray(end);
    }
  });
}

const frame = (letter: string, ...content: readonly Buffer[]): Buffer => {
  const body = Buffer.concat(content);
  const head = Buffer.alloc(5, letter);
  head.writeUInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
};

/** Signed in, with a made-up session, and ready. */
const welcome = Buffer.concat([
  frame('R', Buffer.alloc(4)),
  frame('K', Buffer.alloc(8, 1)),
  frame('Z', Buffer.from('I')),
]);

/** Whose answers go to the client that has the session now. */
class PooledSession {
  readonly #client: Client;
  onAnswer: Frame = () => undefined;

  private constructor(client: Client) {
    this.#client = client;
    const { stream } = client.connection;
    stream.removeAllListeners('data');
    framesOf(stream, (answer) => this.onAnswer(answer));
  }

  static async open(url: string): Promise<PooledSession> {
    const client = new Client(url);
    await client.connect();
    client.on('error', () => undefined);
    return new PooledSession(client);
  }

  send(request: Buffer): void {
    this.#client.connection.stream.write(request);
  }

  close(): void {
    this.#client.connection.stream.destroy();
  }
}

export async function transactionPooler(url: string): Promise<TransactionPooler> {
  const sessions = [await PooledSession.open(url), await PooledSession.open(url)];
  const free = [...sessions];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined));
    serve(socket, free);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const through = new URL(url);
  through.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = async (): Promise<void> => {
    for (const socket of sockets) socket.destroy();
    for (const session of sessions) session.close();
    server.close();
    await once(server, 'close');
  };
  return { url: through.href, close };
}

function serve(socket: Socket, free: PooledSession[]): void {
  let session: PooledSession | undefined;
  const giveBack = (): void => {
    if (session !== undefined) free.push(session);
    session = undefined;
  };
  const take = (): PooledSession | undefined => {
    const taken = free.pop();
    if (taken === undefined) return undefined;
    taken.onAnswer = (answer) => {
      socket.write(answer);
      // Ready, and in no transaction.
      if (answer.toString('latin1', 0, 1) === 'Z' && answer.at(-1) === 0x49) giveBack();
    };
    return taken;
  };
  socket.once('data', () => {
    socket.write(welcome);
    framesOf(socket, (request) => {
      if (request.at(0) === 0x58) return void socket.end();
      session ??= take();
      session?.send(request);
    });
  });
  socket.once('close', giveBack);
}
