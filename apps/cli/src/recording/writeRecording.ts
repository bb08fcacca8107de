/** Writes a finished run as a test. */
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';

import type { Client } from '@baton/api/client';
import { readRecording } from '@baton/language';

import { checkFile } from '../check/checkFile.ts';
import { CommandError } from '../commandError.ts';
import type { Context } from '../context.ts';
import { type ExitCode, exitCodes } from '../exitCodes.ts';
import { fileNamesOf, readWorkflowFile } from '../workflowFiles.ts';
import { differenceLines } from './differenceLines.ts';
import { recordingFiles, recordingText } from './recordingFiles.ts';
import { recordRun } from './recordRun.ts';
import { replay } from './replay.ts';

export interface Recorder {
  /** Records the finished run, and reports where a replay would differ. */
  write(client: Client, runId: string): Promise<ExitCode>;
}

interface RecordedWorkflow {
  /** Its file. */
  readonly workflow: string;
  /** What to do if it cannot be read. */
  readonly hint?: string;
}

/** Throws and rejects with `CommandError` before it runs anything. */
export async function openRecorder(
  context: Context,
  file: string,
  { workflow, hint }: RecordedWorkflow,
): Promise<Recorder> {
  if (!recordingFiles.suffix.test(file)) {
    throw new CommandError(exitCodes.usage, `${file} is not a test file name.`, {
      hint: 'the name must end in .test.yaml, so that `baton test` finds it',
    });
  }
  const { name, text } = await readWorkflowFile(context, workflow).catch((error: unknown) => {
    if (!(error instanceof CommandError) || hint === undefined) throw error;
    throw new CommandError(error.exitCode, error.message, { cause: error, hint });
  });
  const { workflow: checked } = checkFile(name, text);
  if (checked === undefined)
    throw new CommandError(exitCodes.usage, `${name} has errors: see \`baton check ${name}\`.`);
  return {
    async write(client, runId) {
      const recording = await recordRun(client, runId, relative(dirname(file), workflow));
      const written = recordingText(recording);
      const [unreadable] = readRecording(written).findings;
      if (unreadable !== undefined)
        throw new CommandError(exitCodes.failed, `The run cannot be recorded as a test: ${unreadable.message}`);
      await writeFile(file, written);
      const { stderr } = context;
      stderr.line(`Recorded in ${file}. Replay it: baton test ${file}`);
      const { differences } = replay(recording, checked);
      if (differences.length === 0) return exitCodes.done;
      stderr.line(`The replay with ${name} differs from the run:`);
      for (const line of differenceLines(differences, stderr.paint)) stderr.line(line);
      return exitCodes.failed;
    },
  };
}

/** The file of a deployed workflow: beside the test, by its whole name or the last part of it. */
export function workflowBeside(file: string, id: string): string {
  const paths = fileNamesOf(id).map((name) => join(dirname(file), name));
  return paths.find((path) => existsSync(path)) ?? join(dirname(file), `${id}.workflow.yaml`);
}
