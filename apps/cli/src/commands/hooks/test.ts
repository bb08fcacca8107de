import type { Command } from 'commander';

import type { Context } from '../../context.ts';
import { repeated } from '../arguments.ts';
import { addExamples } from '../examples.ts';

interface Options {
  readonly data: string;
  readonly header?: readonly string[];
  readonly json?: boolean;
}

export function define(command: Command, context: Context): void {
  command
    .argument('<hook>', 'WORKFLOW/HOOK, as `baton hooks ls` lists it')
    .option('-d, --data <json>', 'the body, or @FILE', '{}')
    .option('-H, --header <header>', 'a header, as "Name: value"; can be repeated', repeated)
    .option('--json', 'print the answer as JSON')
    .action(async (name: string, { data, header = [], json = false }: Options) => {
      const { sendDelivery } = await import('../../hooks/sendDelivery.ts');
      context.exitCode = await sendDelivery(context, command.optsWithGlobals(), {
        name,
        data,
        headers: header,
        asJson: json,
      });
    });
  addExamples(command, [
    [`baton hooks test on-release/ci -d '{"type":"release"}'`, 'sign and send a body, as the sender would'],
    ['baton hooks test on-release/ci -d @release.json < secret.txt', 'with the secret from a file'],
    ['CI_HOOK=… baton hooks test on-release/ci', 'the secret is in the variable of its name'],
  ]);
}
