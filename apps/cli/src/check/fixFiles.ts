/** Applies the unambiguous corrections, and lists them. */
import { writeFile } from 'node:fs/promises';

import { fixAll, readText } from '@baton/language/service';
import type { CheckOptions } from '@baton/language/service';

import type { Context } from '../context.ts';
import { oneLine } from '../output/text.ts';
import type { WorkflowFile } from '../workflowFiles.ts';
import { plural } from './checkedFile.ts';

export interface FixOptions {
  readonly known: CheckOptions;
  /** Writes nothing. */
  readonly isDryRun: boolean;
}

/** Resolves to the corrected files. A text from stdin goes to stdout. */
export async function fixFiles(
  { stdout, stderr }: Context,
  files: readonly WorkflowFile[],
  { known, isDryRun }: FixOptions,
): Promise<readonly WorkflowFile[]> {
  const mended: WorkflowFile[] = [];
  let count = 0;
  for (const file of files) {
    const { text, made } = fixAll(readText(file.text, known));
    for (const { diagnostic, title } of made) {
      const { line, column, message } = diagnostic;
      stderr.line(oneLine(`${file.name}:${line}:${column} ${title} (${message})`));
    }
    count += made.length;
    if (made.length > 0 && !isDryRun) await writeMended(file, text, stdout);
    mended.push(isDryRun ? file : { ...file, text });
  }
  const verb = isDryRun ? 'can be made' : 'made';
  stderr.line(count === 0 ? 'No correction is certain.' : `${plural(count, 'correction')} ${verb}.`);
  return mended;
}

async function writeMended({ path }: WorkflowFile, text: string, stdout: Context['stdout']): Promise<void> {
  if (path === undefined) stdout.line(text.replace(/\n$/, ''));
  else await writeFile(path, text);
}
