import type { Command } from 'commander';

import type { Context } from '../../context.ts';
import { addExamples } from '../examples.ts';

export function define(command: Command, context: Context): void {
  command
    .argument('<workflow>', 'name of the workflow')
    .option('-y, --yes', 'do not ask')
    .action(async (workflow: string, { yes }: { readonly yes?: true }) => {
      const { deleteWorkflow } = await import('../../workflows/deleteWorkflow.ts');
      await deleteWorkflow(context, command.optsWithGlobals(), workflow, { isAgreed: yes === true });
    });
  addExamples(command, [
    ['baton workflows delete brief', 'show the consequences, ask, and delete the workflow'],
    ['baton workflows delete brief --yes', 'delete it without asking'],
  ]);
}
