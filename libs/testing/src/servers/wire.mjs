/**
 * The least that a stdio MCP server can be, written by hand so that it can also do what no library would.
 * Plain JavaScript without dependencies: it starts in a few milliseconds.
 */
import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';

export const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);

export const answer = (id, result) => send({ id, result });

export const text = (value) => ({ content: [{ type: 'text', text: String(value) }] });

/** Calls `onMessage` for each line of stdin that is JSON. */
export function listen(onMessage) {
  // A long line comes in many chunks: what came before is not looked through again with each of them.
  let parts = [];
  process.stdin.setEncoding('utf8').on('data', (chunk) => {
    const [end, ...more] = chunk.split('\n');
    parts.push(end);
    for (const next of more) {
      const line = parts.join('');
      parts = [next];
      if (line.trim() !== '') onMessage(JSON.parse(line));
    }
  });
}

/** Answers the handshake; true where the message was part of it. */
export function handshake({ id, method, params }, capabilities = { tools: {} }) {
  if (method === 'initialize') {
    const { protocolVersion } = params;
    answer(id, { protocolVersion, capabilities, serverInfo: { name: 'scripted', version: String(process.pid) } });
  } else if (method === 'ping') answer(id, {});
  else return method === 'notifications/initialized';
  return true;
}

/** One line of a file that survives this process. */
export function record(file, entry) {
  const ledger = openSync(file, 'a');
  writeSync(ledger, `${JSON.stringify({ pid: process.pid, ...entry })}\n`);
  fsyncSync(ledger);
  closeSync(ledger);
}
