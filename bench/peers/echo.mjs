/** The step that every peer takes: `echo` of server-everything on one shared session, or nothing. */
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const require = createRequire(import.meta.url);
const place = dirname(require.resolve('@modelcontextprotocol/server-everything/package.json'));

export async function openEcho() {
  const client = new Client({ name: 'peer', version: '1.0.0' });
  const args = [join(place, 'dist', 'index.js'), 'stdio'];
  await client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: 'ignore' }));
  const call = (step) => client.callTool({ name: 'echo', arguments: { message: `hello step ${step}` } });
  const nothing = async (step) => ({ content: [{ type: 'text', text: `Echo: ${step}` }] });
  return (kind) => (kind === 'W0' ? nothing : call);
}
