import type { Command } from 'commander';

import type { Context } from '../context.ts';
import { addExamples } from './examples.ts';

export function define(command: Command, context: Context): void {
  command
    .option('--json', 'print the findings as a JSON array')
    .action(async ({ json = false }: { readonly json?: boolean }) => {
      const [{ upgradeFindings }, { printFindings }, client] = await Promise.all([
        import('../doctor/upgradeFindings.ts'),
        import('../doctor/printFindings.ts'),
        context.client(command.optsWithGlobals()),
      ]);
      context.exitCode = printFindings(context, await upgradeFindings(client), json);
      if (!json) context.stderr.line('Make a backup before you upgrade: baton backup FILE');
    });
  addExamples(command, [['npx --package=NEW.tgz baton upgrade-check', 'run the check of a new version']]);
}
