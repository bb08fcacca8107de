import type { Command } from 'commander';

import type { Context } from '../../context.ts';
import { addExamples } from '../examples.ts';
import { defineAgain } from './rerunOptions.ts';

export function define(command: Command, context: Context): void {
  command.argument('<run>', 'id of a run that failed or was cancelled');
  defineAgain(command, context, 'retry');
  addExamples(command, [
    ['baton runs retry RUN', 'start a new run that keeps finished steps'],
    ['baton runs retry RUN --preview', 'show which calls it would repeat'],
  ]);
}
