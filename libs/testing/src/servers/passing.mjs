/**
 * A server between whose two tools a value is passed.   node passing.mjs FILE
 *
 * `make` answers with `bytes` of text; `take` takes it. FILE gets a line for each passed value: the milliseconds from
 * the moment at which the pipe has taken the answer of `make` until the request of `take` has been read.
 */
import { appendFileSync } from 'node:fs';

import { answer, handshake, listen, send, text } from './wire.mjs';

const [file] = process.argv.slice(2);
const inputSchema = { type: 'object' };

/** Lines like a log, which are others each time. */
function log(bytes) {
  const lines = [];
  for (let left = bytes; left > 0; left -= lines.at(-1).length)
    lines.push(`2026-11-23T04:05:06Z info request ${Math.random()} of user ${Math.trunc(Math.random() * 1e6)} done\n`);
  return lines.join('').slice(0, bytes);
}

let answeredAt = 0;

const tools = {
  make: ({ bytes, kind }, id) => {
    const result = text(kind === 'log' ? log(bytes) : 'x'.repeat(bytes));
    process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`, () => (answeredAt = performance.now()));
  },
  take: (_, id) => {
    appendFileSync(file, `${performance.now() - answeredAt}\n`);
    answer(id, text('taken'));
  },
};

listen((message) => {
  if (handshake(message)) return;
  const { id, method, params } = message;
  if (method === 'tools/list') answer(id, { tools: Object.keys(tools).map((name) => ({ name, inputSchema })) });
  else if (method === 'tools/call') tools[params.name](params.arguments, id);
  else if (id !== undefined) send({ id, error: { code: -32601, message: 'Method not found' } });
});
