/** `baton test`: replays every recording, also after one differs. */
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { type Finding, readRecording } from '@baton/language';

import { checkFile } from '../check/checkFile.ts';
import { printFindings } from '../check/printFindings.ts';
import { CommandError } from '../commandError.ts';
import type { Context } from '../context.ts';
import { type ExitCode, exitCodes } from '../exitCodes.ts';
import { jsonText } from '../output/json.ts';
import { plural } from '../output/text.ts';
import { type WorkflowFile, readFiles, readWorkflowFile } from '../workflowFiles.ts';
import { differenceLines } from './differenceLines.ts';
import type { RecordingDifference } from './differences.ts';
import { recordingFiles, recordingText } from './recordingFiles.ts';
import { replay } from './replay.ts';

interface TestOptions {
  /** Accepts the new behaviour, and writes it into the recording. */
  readonly update?: boolean;
  readonly json?: boolean;
}

interface TestFileResult {
  readonly file: string;
  readonly status: 'passed' | 'failed' | 'updated' | 'invalid';
  readonly differences: readonly RecordingDifference[];
  readonly findings?: readonly Finding[];
}

export async function testFiles(
  context: Context,
  names: readonly string[],
  { update: isUpdate = false, json: asJson = false }: TestOptions,
): Promise<ExitCode> {
  if (isUpdate && names.includes('-')) throw new CommandError(exitCodes.usage, '--update needs a file to write to.');
  const files = await readFiles(context, names, recordingFiles);
  const all: TestFileResult[] = [];
  for (const file of files) {
    const tested = await testFile(context, file, isUpdate);
    if (!asJson) print(context, tested);
    all.push(tested);
  }
  if (asJson) context.stdout.line(jsonText(all));
  const count = (status: TestFileResult['status']): number => all.filter((one) => one.status === status).length;
  const [failed, invalid] = [count('failed'), count('invalid')];
  if (failed + invalid > 0) context.stderr.line(`${failed + invalid} of ${plural(all.length, 'test')} did not pass.`);
  if (invalid > 0) return exitCodes.usage;
  return failed > 0 ? exitCodes.failed : exitCodes.done;
}

async function testFile(context: Context, { name, text }: WorkflowFile, isUpdate: boolean): Promise<TestFileResult> {
  const { recording, findings } = readRecording(text);
  if (recording === undefined) {
    printFindings(context.stderr, name, findings);
    return { file: name, status: 'invalid', differences: [], findings };
  }
  const path = name === 'stdin' ? recording.workflow : join(dirname(name), recording.workflow);
  const file = await readWorkflowFile(context, path).catch((error: unknown) => {
    if (!(error instanceof CommandError)) throw error;
    return error;
  });
  if (file instanceof CommandError) return invalid(name, `the workflow of this test: ${file.message}`);
  const checked = checkFile(file.name, file.text);
  if (checked.workflow === undefined) {
    printFindings(context.stderr, file.name, checked.findings);
    return { ...invalid(name, `the workflow of this test, ${file.name}, has errors`), findings: checked.findings };
  }
  const { differences, updated } = replay(recording, checked.workflow);
  if (!isUpdate || differences.length === 0 || updated === undefined)
    return { file: name, status: differences.length === 0 ? 'passed' : 'failed', differences };
  await writeFile(name, recordingText(updated));
  return { file: name, status: 'updated', differences };
}

const invalid = (file: string, message: string): TestFileResult => ({
  file,
  status: 'invalid',
  differences: [{ message }],
});

function print({ stdout }: Context, { file, status, differences }: TestFileResult): void {
  const { paint } = stdout;
  const isWell = status === 'passed' || status === 'updated';
  const sign = isWell ? paint.green('✓') : paint.red('✗');
  stdout.line(`${sign} ${paint.bold(file)} ${status}`);
  for (const line of differenceLines(differences, paint)) stdout.line(line);
}
