import type { ForeignSystem } from '@baton/import';
import { type Command, Option } from 'commander';

import type { Context } from '../context.ts';
import { addExamples } from './examples.ts';

interface Options {
  readonly output?: string;
  readonly from?: ForeignSystem;
  readonly json?: true;
}

export function define(command: Command, context: Context): void {
  command
    .argument('<file>', 'a workflow exported from n8n (JSON), a workflow of GitHub Actions (YAML), or - for stdin')
    .option('-o, --output <file>', 'write the workflow to this file, which must be new; the default is stdout')
    .addOption(new Option('--from <system>', 'the system of the file; detected by default').choices(['n8n', 'github']))
    .option('--json', 'print the workflow, the findings and the servers that it needs as JSON')
    .action(async (file: string, options: Options) => {
      const { importFile } = await import('../import/importFile.ts');
      context.exitCode = await importFile(context, file, options);
    });
  addExamples(command, [
    ['baton import export.json -o triage.workflow.yaml', 'write the workflow, and list what could not be imported'],
    ['baton import .github/workflows/nightly.yaml', 'print the workflow'],
    ['baton import export.json --json', 'print JSON for a program'],
  ]);
}
