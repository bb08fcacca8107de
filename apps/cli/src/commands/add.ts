import type { Command } from 'commander';

import type { AddOptions } from '../add/addServer.ts';
import type { Context } from '../context.ts';
import { repeated } from './arguments.ts';
import { addExamples } from './examples.ts';

export function define(command: Command, context: Context): void {
  command
    .argument('<origin>', 'name in the MCP registry, npm:PACKAGE, an address, or a server.json')
    .argument(
      '[command...]',
      'arguments for the package; after a plain name: how to start a program that is in no registry',
    )
    .option('-n, --name <name>', 'name in mcp.json; tools are called NAME/TOOL')
    .option('--value <name=value>', 'a variable, header or argument that it needs; can be repeated', repeated)
    .option('--registry <place>', 'address of a registry, or a folder (default: BATON_REGISTRY, else the official one)')
    .option('-y, --yes', 'ask nothing: use defaults')
    .option('--no-test', 'write the server without starting it once as a test')
    .action(async (what: string, words: readonly string[], options: AddOptions) => {
      const { addServer } = await import('../add/addServer.ts');
      await addServer(context, command.optsWithGlobals(), [what, words], options);
    });
  addExamples(command, [
    ['baton add io.github.github/github-mcp-server', 'a server of the MCP registry'],
    ['baton add npm:@modelcontextprotocol/server-memory', 'an npm package, in its newest version'],
    ['baton add npm:@modelcontextprotocol/server-filesystem /tmp/box', 'an npm package, with an argument for it'],
    ['baton add https://mcp.example.com/mcp --name example', 'a server at an address'],
    ['baton add notes -- node servers/notes.mjs', 'a program of your own'],
  ]);
}
