/**
 * An MCP server of your own: notes in a folder. It speaks JSON-RPC, one message a line, on stdin and stdout, and needs
 * no package. Annotations state the effect of a tool: Baton repeats calls that read or are idempotent, never a write.
 */
import { appendFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';

const folder = process.argv[2] ?? 'notes';
const text = { type: 'string' };
const object = (properties) => ({ type: 'object', properties, required: Object.keys(properties) });
const inFolder = (name) => join(folder, basename(name));

const tools = {
  list_notes: {
    description: 'Names of all notes.',
    annotations: { readOnlyHint: true },
    inputSchema: object({}),
    outputSchema: object({ names: { type: 'array', items: text } }),
    call: async () => ({ names: (await readdir(folder)).filter((name) => name.endsWith('.md')).toSorted() }),
  },
  read_note: {
    description: 'The text of a note.',
    annotations: { readOnlyHint: true },
    inputSchema: object({ name: text }),
    outputSchema: object({ text }),
    call: async ({ name }) => ({ text: await readFile(inFolder(name), 'utf8') }),
  },
  write_note: {
    description: 'Writes a note. The same call again changes nothing.',
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
    inputSchema: object({ name: text, text }),
    outputSchema: object({ bytes: { type: 'integer' } }),
    call: async ({ name, text }) => {
      await mkdir(folder, { recursive: true });
      await writeFile(inFolder(name), text);
      return { bytes: Buffer.byteLength(text) };
    },
  },
  add_line: {
    description: 'Adds a line to a note, and answers after so many seconds. The same call again adds it again.',
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
    inputSchema: object({ name: text, line: text, seconds: { type: 'integer' } }),
    outputSchema: object({ line: text }),
    call: async ({ name, line, seconds }) => {
      await appendFile(inFolder(name), `${line}\n`);
      await pause(seconds * 1_000);
      return { line };
    },
  },
};

const methods = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'notes', version: '1.0.0' },
  }),
  ping: () => ({}),
  // What JSON cannot hold, the functions, is left out.
  'tools/list': () => ({ tools: Object.entries(tools).map(([name, tool]) => ({ name, ...tool })) }),
  'tools/call': async ({ name, arguments: given }) => {
    try {
      const structuredContent = await tools[name].call(given ?? {});
      return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent };
    } catch (error) {
      return { content: [{ type: 'text', text: error.message }], isError: true };
    }
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params = {} } = JSON.parse(line);
  if (id === undefined) continue;
  const answer = Object.hasOwn(methods, method)
    ? { result: await methods[method](params) }
    : { error: { code: -32_601, message: `There is no method ${method}.` } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...answer })}\n`);
}
