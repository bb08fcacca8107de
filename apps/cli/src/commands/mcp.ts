import type { Command } from 'commander';

import type { Context } from '../context.ts';
import { addExamples } from './examples.ts';

export function define(command: Command, context: Context): void {
  command.action(async () => {
    const { findApiKey, findUrl } = await import('../client/address.ts');
    const { bridgeStdio } = await import('@baton/transports');
    const options = command.optsWithGlobals<{ url?: string; apiKey?: string }>();
    const url = findUrl(options, context.env);
    const key = await findApiKey(options, url, context.env);
    await bridgeStdio({
      url: new URL('mcp', url.href.endsWith('/') ? url : `${url.href}/`),
      headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
      input: context.stdin,
      // stdout carries only the protocol.
      output: context.stdout.stream,
      onTrouble: (error) => context.stderr.line(error.message),
    });
  });
  addExamples(command, [
    ['baton mcp', 'serve MCP on stdin and stdout'],
    [
      `{ "mcpServers": { "baton": { "command": "npx", "args": ["baton", "mcp"] } } }`,
      'configure an MCP client to use it',
    ],
  ]);
}
