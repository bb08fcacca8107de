import type { Command } from 'commander';
import { Option } from 'commander';

import type { Context } from '../context.ts';
import { repeated } from './arguments.ts';
import { addExamples } from './examples.ts';

export interface RunOptions {
  readonly input?: readonly string[];
  readonly inputs?: string;
  readonly watch?: true;
  readonly wait?: true;
  readonly timeout?: string;
  readonly tag?: readonly string[];
  readonly idempotencyKey?: string;
  readonly record?: string;
  readonly json?: true;
}

export function define(command: Command, context: Context): void {
  command
    .argument('<workflow>', 'name of a deployed workflow (name@3 for version 3), a workflow file, or - for stdin')
    .option('-i, --input <name=value>', 'an input; more than once for more of them', repeated)
    .option('--inputs <file>', 'inputs as a JSON object in a file, or - for stdin')
    .option('-w, --watch', 'show every step, live, until it is over')
    .addOption(new Option('--wait', 'say nothing until it is over').conflicts('watch'))
    .option('--timeout <duration>', 'with --watch or --wait: stop waiting after so long; the run goes on')
    .option('--tag <tag>', 'a tag for the run; more than once for more of them', repeated)
    .option('--record <file>', 'wait until it is over, and write it down as a test: a name that ends in .test.yaml')
    .option('--idempotency-key <key>', 'the same key again is the same run')
    .option('--json', 'print the started run, with --wait the finished run, with --watch every event')
    .action(async (target: string, options: RunOptions) => {
      const { startAndFollow } = await import('../run/startAndFollow.ts');
      await startAndFollow(context, command.optsWithGlobals(), target, options);
    });
  addExamples(command, [
    ['baton run morning-brief --watch', 'start it and see every step'],
    ['baton run morning-brief -i city=Chicago -i days=3', 'inputs, typed by the workflow'],
    ['baton run ./try.workflow.yaml --watch', 'a file, without deploying it'],
    ["baton run report --wait --json | jq '.outputs'", 'for a program'],
    ['baton run ./try.workflow.yaml --record try.test.yaml', 'and make a test of it: see baton test'],
    ['baton run report@3 --idempotency-key today', 'version 3, once'],
  ]);
}
