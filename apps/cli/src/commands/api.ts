import type { Command } from 'commander';

import type { ApiOptions } from '../api/callApi.ts';
import type { Context } from '../context.ts';
import { repeated } from './arguments.ts';
import { addExamples } from './examples.ts';

export function define(command: Command, context: Context): void {
  command
    .argument('<method>', 'GET, POST, PUT or DELETE')
    .argument('<path>', 'path of the API, such as /v1/runs (or short: runs)')
    .option('-q, --query <name=value>', 'a query parameter', repeated)
    .option('-f, --field <name=value>', 'a field of the JSON body; the value is parsed as JSON if possible', repeated)
    .option('--input <file>', 'read the body from a file, or - for stdin')
    .option('-H, --header <name: value>', 'a header', repeated)
    .option('--include', 'also print the status and the headers')
    .option('--jq <filter>', 'filter the JSON of an answer below 400, as jq does')
    .action(async (method: string, path: string, options: ApiOptions) => {
      const { callApi } = await import('../api/callApi.ts');
      context.exitCode = await callApi(context, command.optsWithGlobals(), { method, path, ...options });
    });
  addExamples(command, [
    ['baton api GET /v1/runs -q status=failed -q limit=5', 'list failed runs'],
    ["baton api GET runs --jq '.data[].id'", 'print the ids of the newest runs'],
    ['baton api POST runs -f workflow=morning-brief', 'start a run'],
    ['baton api POST workflows/check --input x.workflow.yaml', 'send a file as the body'],
    ['baton api GET /openapi.json', 'show the API description'],
  ]);
}
