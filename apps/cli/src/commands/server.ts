import type { Command } from 'commander';

import type { Context } from '../context.ts';

export function define(command: Command, { env }: Context): void {
  command.action(async () => {
    const { becomeApp } = await import('../stack/becomeApp.ts');
    becomeApp('server', env);
  });
}
