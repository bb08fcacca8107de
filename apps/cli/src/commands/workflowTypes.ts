import type { Command } from 'commander';

import type { Context } from '../context.ts';
import { addExamples } from './examples.ts';

interface Options {
  readonly output?: string;
}

export function define(command: Command, context: Context): void {
  command
    .option('-o, --output <file>', 'write to this file, such as baton.d.ts (default: stdout)')
    .action(async ({ output }: Options) => {
      const client = await context.client(command.optsWithGlobals());
      const [{ workflowTypes }, { knowledgeFor }] = await Promise.all([
        import('../typescript/workflowTypes.ts'),
        import('../knowledge/knowledgeFor.ts'),
      ]);
      // Asks the servers: types of outputs follow from the output schemas of tools.
      const { known } = await knowledgeFor(context, command.optsWithGlobals(), { asks: true });
      const { text, count } = await workflowTypes(client, known.servers);
      if (output === undefined) return context.stdout.line(text.trimEnd());
      const { writeFile } = await import('node:fs/promises');
      await writeFile(output, text);
      context.stderr.line(`${output}: inputs and outputs of ${count} ${count === 1 ? 'workflow' : 'workflows'}.`);
    });
  addExamples(command, [
    ['baton types -o baton.d.ts', 'types of the deployed workflows, for batonflow/client'],
    [
      'git diff --exit-code baton.d.ts',
      'run this after it in CI: a changed workflow then fails the build of its callers',
    ],
  ]);
}
