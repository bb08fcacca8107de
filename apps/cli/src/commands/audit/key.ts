import type { Command } from 'commander';

import type { Context } from '../../context.ts';
import { addExamples } from '../examples.ts';

export function define(command: Command, context: Context): void {
  command.option('--json', 'print the key and its id as JSON').action(async ({ json }: { readonly json?: true }) => {
    const client = await context.client(command.optsWithGlobals());
    const key = await client.audit.key();
    const { publicKey } = key;
    if (json !== true) return context.stdout.line(publicKey.trimEnd());
    const { jsonText } = await import('../../output/json.ts');
    context.stdout.line(jsonText(key));
  });
  addExamples(command, [['baton audit key > baton-audit.pem', 'give this file to people who verify exports']]);
}
