import type { Command } from 'commander';

import type { Context } from '../context.ts';
import { addExamples } from './examples.ts';

export function define(command: Command, context: Context): void {
  command
    .option('--print', 'print the address and open nothing')
    .action(async ({ print = false }: { readonly print?: boolean }) => {
      const client = await context.client(command.optsWithGlobals());
      const { openPage } = await import('../client/openPage.ts');
      await openPage(context, client, '', { print });
    });
  addExamples(command, [
    ['baton open', 'open the page in a browser, logged in with your key'],
    ['baton open --print', 'print an address that logs in once, within 10 minutes'],
  ]);
}
