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
    .option('--session <name>', 'go on with the session of this name')
    .option('--find', 'offer find_tools and call_tool in place of all tools');
  command.action(async () => {
    const { findApiKey, findUrl } = await import('../client/address.ts');
    const { bridgeStdio } = await import('@baton/transports');
    const options = command.optsWithGlobals<GatewayFlags>();
    const url = findUrl(options, context.env);
    const key = await findApiKey(options, url, context.env);
    const { servers, session, find } = options;
    const gateway = new URL('mcp/gateway', url.href.endsWith('/') ? url : `${url.href}/`);
    if (servers !== undefined) gateway.searchParams.set('servers', servers);
    if (session !== undefined) gateway.searchParams.set('session', session);
    if (find === true) gateway.searchParams.set('find', '1');
    await bridgeStdio({
      url: gateway,
      headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
      input: context.stdin,
      // stdout carries only the protocol.
      output: context.stdout.stream,
      onTrouble: (error) => context.stderr.line(error.message),
    });
  });
  addExamples(command, [
    ['baton gateway', 'serve the tools of all configured servers on stdin and stdout'],
    ['baton gateway --servers files,github', 'serve those of two of them'],
    [
      `{ "mcpServers": { "baton": { "command": "npx", "args": ["baton", "gateway"] } } }`,
      'configure an agent to work through Baton',
    ],
  ]);
}
