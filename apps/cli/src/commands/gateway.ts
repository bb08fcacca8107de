import { defined } from '@baton/primitives';
import type { Command } from 'commander';

import type { Context } from '../context.ts';
import { addExamples } from './examples.ts';

interface GatewayFlags {
  readonly url?: string;
  readonly apiKey?: string;
  readonly servers?: string;
  readonly session?: string;
  readonly find?: boolean;
}

export function define(command: Command, context: Context): void {
  command
    .option('--servers <names>', 'offer only these servers, joined by commas')
    .option('--session <name>', 'continue the session of this name')
    .option('--find', 'offer find_tools and call_tool instead of all tools');
  command.action(async () => {
    const { serveOnStdio } = await import('../client/mcpBridge.ts');
    const { servers, session, find, ...options } = command.optsWithGlobals<GatewayFlags>();
    await serveOnStdio(context, options, 'mcp/gateway', {
      ...defined({ servers, session }),
      ...(find === true ? { find: '1' } : {}),
    });
  });
  addExamples(command, [
    ['baton gateway', 'serve the tools of all configured servers on stdin and stdout'],
    ['baton gateway --servers files,github', 'serve the tools of two servers'],
    [
      `{ "mcpServers": { "baton": { "command": "npx", "args": ["batonflow", "gateway"] } } }`,
      'configure an agent to work through Baton',
    ],
  ]);
}
