/** A server that offers what a file says, and answers every call with the name of its tool.   node offers.mjs TOOLS.json */
import { readFileSync } from 'node:fs';

import { answer, handshake, listen, text } from './wire.mjs';

const [file] = process.argv.slice(2);

listen((message) => {
  if (handshake(message)) return;
  const { id, method, params } = message;
  if (method === 'tools/list') answer(id, { tools: JSON.parse(readFileSync(file, 'utf8')) });
  else if (method === 'tools/call') answer(id, text(`done by ${params.name}`));
});
