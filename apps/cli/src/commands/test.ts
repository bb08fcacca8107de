import type { Command } from 'commander';

import type { Context } from '../context.ts';
import { addExamples } from './examples.ts';

interface Options {
  readonly update?: boolean;
  readonly json?: boolean;
}

export function define(command: Command, context: Context): void {
  command
    .argument('<files...>', 'recorded runs (*.test.yaml), folders of them, or - for stdin')
    .option('--update', 'what happens now is right: write it down')
    .option('--json', 'print what became of each as a JSON array')
    .action(async (names: readonly string[], { update = false, json = false }: Options) => {
      const { testFiles } = await import('../recording/testFiles.ts');
      context.exitCode = await testFiles(context, names, { isUpdate: update, asJson: json });
    });
  addExamples(command, [
    ['baton run report.workflow.yaml --record report.test.yaml', 'write down a run, with all that servers answered'],
    ['baton test .', 'do all of them again, without servers, and compare'],
    ['baton test report.test.yaml --update', 'take over what has changed'],
  ]);
}
