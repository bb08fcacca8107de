/** Commands that start a run, and that send it something. */
import type { Client } from '@baton/api/client';
import { withHint } from '@baton/primitives';
import { Option } from '@commander-js/extra-typings';

import { repeated } from '../inputs/arguments.ts';
import { commandOf } from './defineCommand.ts';

export const run = commandOf({
  form: (command) =>
    command
      .argument('<workflow>', 'name of a deployed workflow (name@3 for version 3), a workflow file, or - for stdin')
      .option('-i, --input <name=value>', 'one input; can be repeated', repeated)
      .option('--inputs <file>', 'inputs as a JSON object in a file, or - for stdin')
      .option('-w, --watch', 'show every step live until the run ends')
      .addOption(new Option('--wait', 'wait silently until the run ends').conflicts('watch'))
      .option('--timeout <duration>', 'with --watch or --wait: stop waiting after this time; the run continues')
      .option('--tag <tag>', 'a tag for the run; can be repeated', repeated)
      .option('--record <file>', 'wait until the run ends, and record it as a test file (*.test.yaml)')
      .option('--idempotency-key <key>', 'a repeated request with this key returns the same run')
      .option('--json', 'print JSON: the started run; with --wait the finished run; with --watch every event'),
  act: async (context, [target], options) => {
    const { startAndFollow } = await import('../run/startAndFollow.ts');
    return startAndFollow(context, target, options);
  },
  examples: [
    ['baton run morning-brief --watch', 'start a run and show every step'],
    ['baton run morning-brief -i city=Chicago -i days=3', 'pass inputs; the workflow gives their types'],
    ['baton run ./try.workflow.yaml --watch', 'run a file without deploying it'],
    ["baton run report --wait --json | jq '.outputs'", 'print JSON for a program'],
    ['baton run ./try.workflow.yaml --record try.test.yaml', 'run a file and record a test: see baton test'],
    ['baton run report@3 --idempotency-key today', 'run version 3, only once'],
  ],
});

export const signal = commandOf({
  form: (command) =>
    command
      .argument('<run>', 'id of the run, its beginning, or `last`')
      .argument('<name>', 'name of the signal')
      .option('-i, --input <name=value>', 'one value of the payload; can be repeated', repeated)
      .option('--inputs <file>', 'the payload as a JSON object in a file, or - for stdin'),
  act: async (context, [written, name], { input, inputs }) => {
    const [{ findRun }, { readInputs }, { didYouMean }] = await Promise.all([
      import('../run/findRun.ts'),
      import('../inputs/readInputs.ts'),
      import('@baton/expressions'),
    ]);
    const client = await context.client();
    const id = await findRun(client, written);
    const isEmpty = input === undefined && inputs === undefined;
    const payload = isEmpty ? null : await readInputs(context, { file: inputs, pairs: input ?? [] }, undefined);
    const awaited = await signalsAwaited(client, id);
    await client.runs.signal(id, name, payload);
    const { stderr } = context;
    // Prints the payload as parsed: a `match` tells a number from a text.
    stderr.line(`The signal is sent${payload === null ? '' : `, with ${JSON.stringify(payload)}`}.`);
    if (awaited.includes(name)) return stderr.line(`${stderr.paint.dim('Watch the run:')} baton runs watch ${id}`);
    stderr.line(withHint('No step waits for it yet; it is kept.', didYouMean(name, awaited)));
  },
  examples: [
    ['baton signal RUN paid', 'send a signal; it is kept until a step waits for it'],
    ['baton signal RUN paid -i amount=12', 'send a payload; it becomes the output of the step'],
    [`baton signal RUN built -i 'number="12"'`, 'send a text instead of a number'],
  ],
});

async function signalsAwaited(client: Client, id: string): Promise<string[]> {
  const { steps } = await client.runs.get(id);
  return steps.flatMap(({ verb, status, target }) =>
    verb === 'wait' && status === 'waiting' && target !== undefined ? [target] : [],
  );
}
