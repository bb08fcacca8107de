import type { Command } from 'commander';

import type { Context } from '../context.ts';
import { addExamples } from './examples.ts';

interface Options {
  readonly stdio?: true;
  readonly servers: boolean;
}

export function define(command: Command, context: Context): void {
  command
    .option('--stdio', 'use stdin and stdout, the only supported transport')
    .option('--no-servers', 'start no MCP server and ask no Baton; know the language only')
    .action(async ({ servers }: Options) => {
      const [{ fileURLToPath }, { serveEditor }, { knowledgeFor }, { version }] = await Promise.all([
        import('node:url'),
        import('../lsp/serveEditor.ts'),
        import('../knowledge/knowledgeFor.ts'),
        import('../version.ts'),
      ]);
      const options = command.optsWithGlobals<{ url?: string; apiKey?: string }>();
      serveEditor({
        input: context.stdin,
        // stdout carries only the protocol.
        output: context.stdout.stream,
        version,
        now: Date.now,
        learn: async (folder) =>
          knowledgeFor(context, options, {
            asks: servers,
            neverAsks: true,
            folder: folder?.startsWith('file:') === true ? fileURLToPath(folder) : undefined,
          }),
      });
    });
  addExamples(command, [
    ['baton lsp --stdio', 'the command for editors'],
    ['baton lsp --stdio --no-servers', 'without the tools of servers'],
  ]);
}
