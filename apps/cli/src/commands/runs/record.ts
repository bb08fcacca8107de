import type { Command } from 'commander';

import type { Context } from '../../context.ts';
import { addExamples } from '../examples.ts';

interface Options {
  readonly workflow?: string;
}

export function define(command: Command, context: Context): void {
  command
    .argument('<run>', 'id of a run that succeeded or failed')
    .argument('<file>', 'test file to write (*.test.yaml)')
    .option('-w, --workflow <file>', 'the workflow’s file; the default is NAME.workflow.yaml beside the test')
    .action(async (written: string, file: string, { workflow }: Options) => {
      const { openRecorder, workflowBeside } = await import('../../recording/writeRecording.ts');
      const client = await context.client(command.optsWithGlobals());
      const { findRun } = await import('../../run/findRun.ts');
      const id = await findRun(client, written);
      const run = await client.runs.get(id);
      const recorder = await openRecorder(context, file, workflow ?? workflowBeside(file, run.workflow));
      context.exitCode = await recorder.write(client, id);
    });
  addExamples(command, [['baton runs record RUN outage.test.yaml', 'record a failed run as a test']]);
}
