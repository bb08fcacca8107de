import type { TestedServer } from '@baton/api/client';
import type { Command } from 'commander';

import type { Context } from '../../context.ts';
import { oneLine } from '../../output/text.ts';
import { addExamples } from '../examples.ts';

export function define(command: Command, context: Context): void {
  command
    .argument('<server>', 'name of the server, as in mcp.json')
    .option('--json', 'print the result as JSON')
    .action(async (server: string, { json }: { readonly json?: true }) => {
      const client = await context.client(command.optsWithGlobals());
      const { stderr } = context;
      if (stderr.isTerminal) stderr.line(stderr.paint.dim(`Waiting for ${oneLine(server)} to start and answer …`));
      const tested = await client.servers.test(server);
      await print(context, tested, json === true);
    });
  addExamples(command, [
    ['baton servers test files', 'connect and list what it offers; calls no tool'],
    ['baton servers test files && echo fine', 'exits with 0 only if the server answers'],
  ]);
}

async function print({ stdout, stderr }: Context, tested: TestedServer, asJson: boolean): Promise<void> {
  const { jsonText } = await import('../../output/json.ts');
  if (asJson) return stdout.line(jsonText(tested));
  const { name, protocolVersion, server, tools, prompts, resources, problems } = tested;
  const who = [server?.name, server?.version].filter(Boolean).join(' ');
  const offers = `${counted(tools, 'tool')}, ${counted(prompts, 'prompt')}, ${counted(resources, 'resource')}`;
  stdout.line(oneLine(`${name} answers: ${who === '' ? '' : `${who}, `}MCP ${protocolVersion}, ${offers}`));
  for (const problem of problems) stderr.line(`${stderr.paint.yellow('note:')} ${oneLine(problem)}`);
}

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;
