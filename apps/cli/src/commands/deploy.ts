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
    .option('--dry-run', 'check against the servers, but deploy nothing')
    .option('--json', 'print the deployed versions as a JSON array')
    .action(async (names: readonly string[], { dryRun = false, json = false }: Options) => {
      const { deployFiles } = await import('../deploy/deployFiles.ts');
      const settings = { isDryRun: dryRun, asJson: json };
      context.exitCode = await deployFiles(context, command.optsWithGlobals(), names, settings);
    });
  addExamples(command, [
    ['baton deploy morning-brief.workflow.yaml', 'deploy a new version, unless nothing changed'],
    ['baton deploy examples/', 'deploy all workflows in a folder'],
    ['baton deploy --dry-run examples/', 'show what would be refused'],
  ]);
}
