import type { Command } from 'commander';

import type { Context } from '../context.ts';
import { addExamples } from './examples.ts';

export function define(command: Command, context: Context): void {
  command
    .option('--print', 'print the address and open nothing')
    .action(async ({ print = false }: { readonly print?: boolean }) => {
      const client = await context.client(command.optsWithGlobals());
      const { pageAddress } = await import('../client/pageAddress.ts');
      const address = await pageAddress(client);
      if (!print) {
        const { openInBrowser } = await import('../client/openInBrowser.ts');
        if (await openInBrowser(address)) return context.stderr.line(`Opened ${client.url.href} in your browser.`);
        context.stderr.line('No browser could be started here. Open this address; it logs in once, within 10 minutes:');
      }
      context.stdout.line(address);
    });
  addExamples(command, [
    ['baton open', 'open the page in a browser, logged in with your key'],
    ['baton open --print', 'print an address that logs in once, within 10 minutes'],
  ]);
}
