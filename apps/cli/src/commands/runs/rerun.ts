import type { Command } from 'commander';

import type { Context } from '../../context.ts';
import type { AgainOptions } from '../../run/runAgain.ts';
import { repeated } from '../arguments.ts';
import { addExamples } from '../examples.ts';
import { addAgainOptions } from './rerunOptions.ts';

export function define(command: Command, context: Context): void {
  command
    .argument('<run>', 'id of a finished run')
    .option(
      '--from <step>',
      'path of the first step to run again; without it all steps run, or with --workflow-version those that differ',
    )
    .option('-i, --input <name=value>', 'replace an input of the run; can be repeated', repeated)
    .option('-y, --yes', 'do not ask before writes are made again');
  addAgainOptions(command).action(async (id: string, options: AgainOptions) => {
    const { runAgain } = await import('../../run/runAgain.ts');
    await runAgain(context, command.optsWithGlobals(), id, 'rerun', options);
  });
  addExamples(command, [
    ['baton runs rerun RUN --preview', 'show which calls it would repeat'],
    ['baton runs rerun RUN --from charge', 'keep the outcomes before step charge'],
    ['baton runs rerun RUN -i city=Chicago', 'run everything again with another input'],
  ]);
}
