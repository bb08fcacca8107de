import type { Command } from 'commander';

import type { Context } from '../context.ts';
import { addExamples } from './examples.ts';

interface Options {
  readonly update?: boolean;
  readonly json?: boolean;
}

export function define(command: Command, context: Context): void {
  command
    .argument('[files...]', 'recorded runs (*.test.yaml), folders of them, or - for stdin', ['.'])
    .option('--update', 'accept the new behaviour and rewrite the tests')
    .option('--json', 'print the results as a JSON array')
    .action(async (names: readonly string[], { update = false, json = false }: Options) => {
      const { testFiles } = await import('../recording/testFiles.ts');
      context.exitCode = await testFiles(context, names, { isUpdate: update, asJson: json });
    });
  addExamples(command, [
    ['baton run report.workflow.yaml --record report.test.yaml', 'record a run and its servers’ answers'],
    ['baton test', 'replay all recorded runs in this folder and compare'],
    ['baton test report.test.yaml --update', 'accept the changes'],
  ]);
}
