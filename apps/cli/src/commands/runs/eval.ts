import type { Client } from '@baton/api/client';
import type { Command } from 'commander';

import type { Context } from '../../context.ts';
import { addExamples } from '../examples.ts';

interface Options {
  readonly step?: string;
  readonly after?: string;
}

export function define(command: Command, context: Context): void {
  command
    .argument('<run>', 'id of the run, its beginning, or `last`')
    .argument('<expression>', 'a bare expression, as in `if`, or a text with ${{ … }}')
    .option(
      '--step <path>',
      'use the values that this step saw; the default are those that the outputs of the workflow see',
    )
    .option('--after <position>', 'use the run as of this position in its journal')
    .action(async (id: string, expression: string, options: Options) =>
      evaluate(context, command, { id, expression, ...options }),
    );
  addExamples(command, [
    ["baton runs eval last 'steps.order.output.total > 100'", 'try a condition on the values of a run'],
    [
      "baton runs eval RUN 'item.price * 2' --step prices/3/price",
      'evaluate it with the values of a step in one item of a forEach',
    ],
  ]);
}

async function evaluate(
  context: Context,
  command: Command,
  { id: written, expression, step, after }: Options & { readonly id: string; readonly expression: string },
): Promise<void> {
  const client = await context.client(command.optsWithGlobals());
  const [{ findRun }, { jsonText }] = await Promise.all([
    import('../../run/findRun.ts'),
    import('../../output/json.ts'),
  ]);
  const id = await findRun(client, written);
  const { value } = await client.runs.evaluate(id, {
    expression,
    step,
    ...(after === undefined ? {} : { after: Number(after) }),
  });
  context.stdout.line(jsonText(value));
  if (/^\s*(?:\$\{\{)?\s*steps\s*(?:\}\})?\s*$/.test(expression)) await nameSteps(context, client, id);
}

/** `steps` alone holds only the outputs that the expression reads, which are none. */
async function nameSteps({ stderr }: Context, client: Client, id: string): Promise<void> {
  const { oneLine } = await import('../../output/text.ts');
  const names = (await client.runs.get(id)).steps.map(({ path }) => path).filter((path) => !path.includes('/'));
  const shown = names.slice(0, 20).map((name) => `steps.${name}`);
  if (shown.length === 0) return stderr.line('The run has no step yet.');
  stderr.line(oneLine(`Name a step: ${shown.join(', ')}${names.length > shown.length ? ', …' : ''}`));
}
