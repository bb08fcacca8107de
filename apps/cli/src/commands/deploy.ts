import type { Command } from 'commander';

import type { Context } from '../context.ts';
import { addExamples } from './examples.ts';

interface Options {
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

export function define(command: Command, context: Context): void {
  command
    .argument('<files...>', 'workflow files, folders of them, or - for stdin')
    .option('--dry-run', 'check everything, against the servers too, and deploy nothing')
    .option('--json', 'print what was deployed as a JSON array')
    .action(async (names: readonly string[], { dryRun = false, json = false }: Options) => {
      const { deployFiles } = await import('../deploy/deployFiles.ts');
      const settings = { isDryRun: dryRun, asJson: json };
      context.exitCode = await deployFiles(context, command.optsWithGlobals(), names, settings);
    });
  addExamples(command, [
    ['baton deploy morning-brief.workflow.yaml', 'the next version, or the same one where nothing changed'],
    ['baton deploy examples/', 'all workflows in a folder'],
    ['baton deploy --dry-run examples/', 'what would be refused'],
  ]);
}
