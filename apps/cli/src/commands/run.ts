import { type Command, Option } from 'commander';

import type { Context } from '../context.ts';
import type { RunOptions } from '../run/startAndFollow.ts';
import { repeated } from './arguments.ts';
import { addExamples } from './examples.ts';

export function define(command: Command, context: Context): void {
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
    .option('--json', 'print JSON: the started run; with --wait the finished run; with --watch every event')
    .action(async (target: string, options: RunOptions) => {
      const { startAndFollow } = await import('../run/startAndFollow.ts');
      await startAndFollow(context, command.optsWithGlobals(), target, options);
    });
  addExamples(command, [
    ['baton run morning-brief --watch', 'start a run and show every step'],
    ['baton run morning-brief -i city=Chicago -i days=3', 'pass inputs; the workflow gives their types'],
    ['baton run ./try.workflow.yaml --watch', 'run a file without deploying it'],
    ["baton run report --wait --json | jq '.outputs'", 'print JSON for a program'],
    ['baton run ./try.workflow.yaml --record try.test.yaml', 'run a file and record a test: see baton test'],
    ['baton run report@3 --idempotency-key today', 'run version 3, only once'],
  ]);
}
