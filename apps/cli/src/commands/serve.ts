/** Commands that serve something until they are stopped. */
import { fileURLToPath } from 'node:url';

import { defined } from '@baton/primitives';

import type { AppName } from '../stack/becomeApp.ts';
import { type DefineCommand, commandOf } from './defineCommand.ts';

export const mcp = commandOf({
  form: (command) => command,
  act: async (context) => {
    const { serveOnStdio } = await import('../client/mcpBridge.ts');
    return serveOnStdio(context, 'mcp');
  },
  examples: [
    ['baton mcp', 'serve MCP on stdin and stdout'],
    [
      `{ "mcpServers": { "baton": { "command": "npx", "args": ["batonflow", "mcp"] } } }`,
      'configure an MCP client to use it',
    ],
  ],
});

export const gateway = commandOf({
  form: (command) =>
    command
      .option('--servers <names>', 'offer only these servers, joined by commas')
      .option('--session <name>', 'continue the session of this name')
      .option('--find', 'offer find_tools and call_tool instead of all tools'),
  act: async (context, _, { servers, session, find }) => {
    const { serveOnStdio } = await import('../client/mcpBridge.ts');
    await serveOnStdio(context, 'mcp/gateway', defined({ servers, session, find: find && '1' }));
  },
  examples: [
    ['baton gateway', 'serve the tools of all configured servers on stdin and stdout'],
    ['baton gateway --servers files,github', 'serve the tools of two servers'],
    [
      `{ "mcpServers": { "baton": { "command": "npx", "args": ["batonflow", "gateway"] } } }`,
      'configure an agent to work through Baton',
    ],
  ],
});

export const lsp = commandOf({
  form: (command) =>
    command
      .option('--stdio', 'use stdin and stdout, the only supported transport')
      .option('--no-servers', 'start no MCP server and ask no Baton; know the language only'),
  act: async (context, _, { servers }) => {
    const [{ serveEditor }, { knowledgeFor }, { version }] = await Promise.all([
      import('../lsp/serveEditor.ts'),
      import('../knowledge/knowledgeFor.ts'),
      import('../version.ts'),
    ]);
    serveEditor({
      input: context.stdin,
      // stdout carries only the protocol.
      output: context.stdout.stream,
      version,
      now: Date.now,
      learn: async (folder) =>
        knowledgeFor(context, {
          asks: servers,
          neverAsks: true,
          folder: folder?.startsWith('file:') === true ? fileURLToPath(folder) : undefined,
        }),
    });
  },
  examples: [
    ['baton lsp --stdio', 'the command for editors'],
    ['baton lsp --stdio --no-servers', 'without the tools of servers'],
  ],
});

const appOf = (name: AppName): DefineCommand =>
  commandOf({
    form: (command) => command,
    act: async ({ env }) => {
      const { becomeApp } = await import('../stack/becomeApp.ts');
      becomeApp(name, env);
    },
  });

export const server = appOf('server');
export const orchestrator = appOf('orchestrator');
export const worker = appOf('worker');

export const demo = commandOf({
  form: (command) => command,
  act: async (context) => {
    const { demo } = await import('../stack/demo.ts');
    return demo(context);
  },
});
