import type { Command } from 'commander';

import type { Context } from '../../context.ts';
import { addExamples } from '../examples.ts';

export function define(command: Command, context: Context): void {
  command.option('--json', 'print it with its id, as JSON').action(async ({ json }: { readonly json?: true }) => {
    const client = await context.client(command.optsWithGlobals());
    const key = await client.audit.key();
    const { publicKey } = key;
    if (json !== true) return context.stdout.line(publicKey.trimEnd());
    const { jsonText } = await import('../../output/json.ts');
    context.stdout.line(jsonText(key));
  });
  addExamples(command, [['baton audit key > baton-audit.pem', 'for those who are to verify exports']]);
}
