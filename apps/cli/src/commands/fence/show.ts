import type { Command } from 'commander';

import type { Context } from '../../context.ts';
import { addExamples } from '../examples.ts';

export function define(command: Command, context: Context): void {
  command.option('--json', 'print the answer as JSON').action(async ({ json = false }: { readonly json?: boolean }) => {
    const client = await context.client(command.optsWithGlobals());
    const fence = await client.fence.show();
    const [{ jsonText }, { fenceLines }] = await Promise.all([
      import('../../output/json.ts'),
      import('../../fence/fenceLines.ts'),
    ]);
    if (json) return context.stdout.line(jsonText({ ...fence }));
    for (const line of fenceLines(fence)) context.stdout.line(line);
  });
  addExamples(command, [['baton fence show', 'show which runs were active, and what they may have called since']]);
}
