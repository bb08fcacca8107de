/** For the matrix: offers a stdio server over HTTP with events (2024-11-05) or plain HTTP. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { createInterface } from 'node:readline';

import { event, json, messageOf, serving, type Message } from '../testHttp.ts';

export interface Program {
  readonly command: string;
  readonly args: readonly string[];
}

export interface Gateway {
  readonly url: string;
  close(): Promise<void>;
}

interface RunningGateway {
  tell(message: object): void;
  stop(): Promise<void>;
}

function run({ command, args }: Program, onMessage: (message: Message) => void): RunningGateway {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'ignore'] });
  createInterface({ input: child.stdout }).on('line', (line) => onMessage(JSON.parse(line) as Message));
  return {
    tell: (message) => void child.stdin.write(`${JSON.stringify(message)}\n`),
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

/** A process for each stream. */
export async function sseGateway(program: Program): Promise<Gateway> {
  const running: RunningGateway[] = [];
  const open = (response: ServerResponse): void => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(`event: endpoint\ndata: /messages/${running.length}\n\n`);
    const one = run(program, (message) => response.write(event(message)));
    running.push(one);
    response.on('close', () => void one.stop());
  };
  const { base, close } = await serving((request, response) => {
    if (request.method === 'GET') return open(response);
    void messageOf(request).then((message) => {
      running[Number(request.url?.split('/').at(-1))]?.tell(message);
      response.writeHead(202).end();
    });
  });
  return {
    url: `${base}/sse`,
    async close() {
      await close();
      await Promise.all(running.map((one) => one.stop()));
    },
  };
}

/** One process, with which the gateway did the handshake: clients have no sessions, and only get answers. */
export async function plainGateway(program: Program): Promise<Gateway> {
  const waiting = new Map<unknown, (answer: Message) => void>();
  const one = run(program, (message) => {
    if (message.method === undefined) waiting.get(message.id)?.(message);
  });
  let count = 0;
  const ask = (message: Message): Promise<Message> => {
    const id = ++count;
    one.tell({ jsonrpc: '2.0', ...message, id });
    return new Promise((resolve) => waiting.set(id, resolve));
  };
  const clientInfo = { name: 'gateway', version: '1' };
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
  const introduction = await ask({ method: 'initialize', params });
  one.tell({ jsonrpc: '2.0', method: 'notifications/initialized' });
  const { base, close } = await serving((request, response) => {
    void messageOf(request).then(async (message) => {
      if (message.id === undefined) return void response.writeHead(202).end();
      const answer = message.method === 'initialize' ? introduction : await ask(message);
      json(response, { ...answer, id: message.id });
    });
  });
  return {
    url: `${base}/mcp`,
    async close() {
      await close();
      await one.stop();
    },
  };
}
