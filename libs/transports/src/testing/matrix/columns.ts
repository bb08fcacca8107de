/** For the matrix: the servers, their transports, and how to open each pair. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';

import { modernServing } from '../testModern.ts';
import { environment } from '../testServers.ts';
import { plainGateway, sseGateway, type Gateway, type Program } from './gateway.ts';

export type ServerName = 'server-postgres' | 'server-everything' | 'modern' | 'device';
export type MatrixWay = 'stdio' | 'http' | 'sse' | 'plain' | 'device';

export interface OpenedServer {
  /** As an entry of `mcp.json`. */
  readonly entry: object;
  close(): Promise<void>;
}

/** Resources that the tests provide. */
interface MatrixGround {
  freePort(): Promise<number>;
  /** With tables in it. */
  freshDatabase(): Promise<{ readonly url: string; drop(): Promise<void> }>;
}

/** A sentence if there is no such pair. */
type Column = ((ground: MatrixGround) => Promise<OpenedServer>) | string;

export const revisions: Readonly<Record<ServerName, string>> = {
  'server-postgres': '2024-11-05',
  'server-everything': '2025-11-25',
  modern: '2026-07-28',
  device: 'framed',
};

const program = (path: string, ...args: string[]): Program => ({
  command: process.execPath,
  args: [createRequire(import.meta.url).resolve(path), ...args],
});
const everything = (mode: string): Program => program('@modelcontextprotocol/server-everything/dist/index.js', mode);

const unopened = async (entry: object): Promise<OpenedServer> => ({ entry, close: async () => {} });

const behind = async (type: 'sse' | 'http-plain', gateway: Promise<Gateway>): Promise<OpenedServer> => {
  const { url, close } = await gateway;
  return { entry: { type, url }, close };
};

/** server-everything's own HTTP. */
async function serving({ freePort }: MatrixGround, mode: 'streamableHttp' | 'sse'): Promise<OpenedServer> {
  const port = await freePort();
  const { command, args } = everything(mode);
  const env = { ...environment, PORT: String(port) };
  const child = spawn(command, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
  // Reads all output, so that the server does not block on a full pipe.
  await new Promise<void>((ready) => {
    child.stderr.on('data', (chunk) => (/listening|running/i.test(String(chunk)) ? ready() : undefined));
  });
  const isSse = mode === 'sse';
  return {
    entry: { type: isSse ? 'sse' : 'http', url: `http://127.0.0.1:${port}/${isSse ? 'sse' : 'mcp'}` },
    async close() {
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

/** Opens server-postgres on a database with tables, which are its resources. */
const postgres =
  (open: (server: Program) => Promise<OpenedServer>) =>
  async (ground: MatrixGround): Promise<OpenedServer> => {
    const database = await ground.freshDatabase();
    const { entry, close } = await open(program('@modelcontextprotocol/server-postgres/dist/index.js', database.url));
    return {
      entry,
      async close() {
        await close();
        await database.drop();
      },
    };
  };

async function modern(type: 'http' | 'http-plain'): Promise<OpenedServer> {
  const { url, close } = await modernServing();
  return { entry: { type, url }, close };
}

const noMcp = 'the framed protocol has messages of its own and carries none of MCP';
const device = 'a device speaks the framed protocol alone';

export const columns: Readonly<Record<ServerName, Readonly<Record<MatrixWay, Column>>>> = {
  'server-postgres': {
    stdio: postgres(unopened),
    http: 'Streamable HTTP came with 2025-03-26',
    sse: postgres((server) => behind('sse', sseGateway(server))),
    plain: postgres((server) => behind('http-plain', plainGateway(server))),
    device: noMcp,
  },
  'server-everything': {
    stdio: () => unopened(everything('stdio')),
    http: (ground) => serving(ground, 'streamableHttp'),
    sse: (ground) => serving(ground, 'sse'),
    plain: () => behind('http-plain', plainGateway(everything('stdio'))),
    device: noMcp,
  },
  modern: {
    stdio: () => unopened({ ...program('./modernServer.mjs'), baton: { protocol: '2026-07-28' } }),
    http: () => modern('http'),
    sse: 'HTTP with events is of 2024-11-05 and ended before 2026-07-28, which knows stdio and Streamable HTTP',
    plain: () => modern('http-plain'),
    device: noMcp,
  },
  device: { stdio: device, http: device, sse: device, plain: device, device: () => unopened({}) },
};
