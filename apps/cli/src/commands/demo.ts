import type { Command } from 'commander';

import type { Context } from '../context.ts';

export function define(command: Command, context: Context): void {
  command.action(async () => {
    const { demo } = await import('../stack/demo.ts');
    await demo(context);
  });
}
