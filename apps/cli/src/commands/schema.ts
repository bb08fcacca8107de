import type { Command } from 'commander';

import type { Context } from '../context.ts';
import { addExamples } from './examples.ts';

interface Options {
  readonly servers?: true;
}

export function define(command: Command, context: Context): void {
  command
    .option('--servers', 'include the tools and prompts of the MCP servers, with their arguments')
    .action(async (options: Options) => print(context, command, options));
  addExamples(command, [
    ['baton schema > workflow.schema.json', 'the schema of the language'],
    ['baton schema --servers > .baton/workflow.schema.json', 'the schema for editors without a language server'],
  ]);
}

async function print(context: Context, command: Command, options: Options): Promise<void> {
  const [{ installationSchema, workflowJsonSchema }, { knowledgeFor }] = await Promise.all([
    import('@baton/language'),
    import('../knowledge/knowledgeFor.ts'),
  ]);
  const asks = options.servers === true;
  const { known, notes } = await knowledgeFor(context, command.optsWithGlobals(), { asks });
  for (const note of notes) context.stderr.line(note);
  const schema = known.servers === undefined ? workflowJsonSchema() : installationSchema(known.servers);
  context.stdout.line(JSON.stringify(schema, undefined, 2));
}
