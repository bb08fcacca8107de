/** A server that is broken as a process.   node broken.mjs HOW [ARGUMENT] */
import { spawn } from 'node:child_process';
import { closeSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { answer, handshake, listen, text } from './wire.mjs';

const [how, argument] = process.argv.slice(2);
const forever = () => setInterval(() => {}, 1_000);

/** Ends neither with its stdin nor when it is asked to. */
function refuseToEnd() {
  process.on('SIGTERM', () => {});
  process.on('SIGINT', () => {});
  forever();
}

const serve = () =>
  listen((message) => {
    if (handshake(message)) return;
    const { id, method } = message;
    if (method === 'tools/list') answer(id, { tools: [{ name: 'pid', inputSchema: { type: 'object' } }] });
    else if (method === 'tools/call') answer(id, text(process.pid));
  });

const ways = {
  /** Says why, and ends before it was ever asked anything. */
  exits: () => {
    process.stderr.write('cannot read the configuration\n');
    process.exitCode = Number(argument ?? 3);
  },
  rubbish: () => {
    process.stderr.write('starting up\n');
    process.stdout.write('Welcome to the server!\nListening…\n');
    forever();
  },
  silent: () => {
    process.stderr.write('I say nothing\n');
    process.stdin.resume();
    forever();
  },
  /** Works, and cannot be ended but by force. */
  stubborn: () => {
    refuseToEnd();
    serve();
  },
  /** A wrapper around a stubborn server, as `npx` is one. */
  wrapped: () => {
    const server = spawn(process.execPath, [fileURLToPath(import.meta.url), 'stubborn'], { stdio: 'inherit' });
    server.on('exit', () => process.exit());
    process.on('SIGTERM', () => process.exit());
  },
  /** Works, and stops reading after the handshake. */
  deaf: () => {
    listen((message) => {
      handshake(message);
      if (message.method === 'notifications/initialized') process.stdin.pause();
    });
    forever();
  },
  /** Works, then closes its stdin. */
  shut: () => {
    listen((message) => {
      handshake(message);
      if (message.method !== 'notifications/initialized') return;
      process.stdin.destroy();
      closeSync(0);
    });
    forever();
  },
  /** Answers a request that was not sent. */
  astray: () => {
    listen(({ id }) => answer(id + 41, {}));
    forever();
  },
  /** Says this and that instead of introducing itself, and never stops. */
  babbles: () => {
    const notice = `${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params: {} })}\n`.repeat(100);
    const babble = () => {
      while (process.stdout.write(notice));
    };
    process.stdout.on('drain', babble);
    babble();
    process.stdin.on('end', () => process.exit()).resume();
  },
  /** Opens well and dies of its first call, every time. */
  mortal: () => {
    listen((message) => {
      if (!handshake(message)) process.exit(7);
    });
  },
};

ways[how]();
