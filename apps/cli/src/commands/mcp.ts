import type { Command } from 'commander';

import type { Context } from '../context.ts';
import { addExamples } from './examples.ts';

export function define(command: Command, context: Context): void {
  command.action(async () => {
    const { serveOnStdio } = await import('../client/mcpBridge.ts');
    await serveOnStdio(context, command.optsWithGlobals(), 'mcp');
  });
  addExamples(command, [
    ['baton mcp', 'serve MCP on stdin and stdout'],
    [
      `{ "mcpServers": { "baton": { "command": "npx", "args": ["batonflow", "mcp"] } } }`,
      'configure an MCP client to use it',
    ],
  ]);
}
