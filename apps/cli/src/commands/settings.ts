import type { Command } from 'commander';

import type { Context } from '../context.ts';
import { addExamples } from './examples.ts';

export function define(command: Command, context: Context): void {
  command
    .option('--json', 'print the settings as a JSON array')
    .action(async ({ json = false }: { readonly json?: boolean }) => {
      const { printSettings } = await import('../output/printSettings.ts');
      await printSettings(context, json);
    });
  addExamples(command, [
    ['baton settings', 'list all settings and where they come from; secrets are masked'],
    ['BATON_PORT=80 baton settings', 'list everything that is wrong'],
  ]);
}
