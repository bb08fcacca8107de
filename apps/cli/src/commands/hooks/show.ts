import type { Command } from 'commander';

import type { Context } from '../../context.ts';
import { addExamples } from '../examples.ts';

export function define(command: Command, context: Context): void {
  command
    .argument('<hook>', 'WORKFLOW/HOOK, as `baton hooks ls` lists it')
    .option('--json', 'print it as JSON')
    .action(async (name: string, { json = false }: { readonly json?: boolean }) => {
      const { stdout } = context;
      const client = await context.client(command.optsWithGlobals());
      const { findHook } = await import('../../hooks/findHook.ts');
      const hook = await findHook(client, name);
      if (json) {
        const { jsonText } = await import('../../output/json.ts');
        return stdout.line(jsonText(hook));
      }
      const { drawHook } = await import('../../hooks/drawHook.ts');
      for (const line of drawHook(hook, client.connection.url, stdout)) stdout.line(line);
    });
  addExamples(command, [['baton hooks show on-release/ci', 'show its address, and its last deliveries with reasons']]);
}
