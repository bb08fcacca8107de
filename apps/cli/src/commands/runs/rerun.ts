import type { Command } from 'commander';

import type { Context } from '../../context.ts';
import { repeated } from '../arguments.ts';
import { addExamples } from '../examples.ts';
import { defineAgain } from './rerunOptions.ts';

export function define(command: Command, context: Context): void {
  command
    .argument('<run>', 'id of a finished run')
    .option('--from <step>', 'path of the step from which on everything is done again; without it, all of it is')
    .option('-i, --input <name=value>', 'an input in place of the one that the run had; more than once', repeated);
  defineAgain(command, context, 'rerun');
  addExamples(command, [
    ['baton runs rerun RUN --preview', 'which calls would be made again'],
    ['baton runs rerun RUN --from charge', 'what came before that step is kept'],
    ['baton runs rerun RUN -i city=Chicago', 'all of it, with another input'],
  ]);
}
