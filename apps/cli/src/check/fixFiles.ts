/** Applies the unambiguous corrections, and lists them; lists those that a person must decide on too. */
import { writeFile } from 'node:fs/promises';

import { fixAll, fixes, readText, type Fix } from '@baton/editor-service';
import type { CheckOptions } from '@baton/language';

import type { Context } from '../context.ts';
import { oneLine, plural } from '../output/text.ts';
import type { WorkflowFile } from '../workflowFiles.ts';

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
  const doubtful: string[] = [];
  for (const file of files) {
    const { text, made } = fixAll(readText(file.text, known));
    for (const one of made) stderr.line(lineOf(file, one));
    count += made.length;
    doubtful.push(...fixes(readText(text, known)).flatMap((one) => (one.isCertain ? [] : [`? ${lineOf(file, one)}`])));
    if (made.length > 0 && !isDryRun) await writeMended(file, text, stdout);
    mended.push(isDryRun ? file : { ...file, text });
  }
  const verb = isDryRun ? 'can be made' : 'made';
  stderr.line(count === 0 ? 'No correction is certain.' : `${plural(count, 'correction')} ${verb}.`);
  if (doubtful.length > 0) stderr.line('These may be right, and are left to you:');
  for (const line of doubtful) stderr.line(line);
  return mended;
}

function lineOf({ name }: WorkflowFile, { diagnostic, title }: Fix): string {
  const { line, column, message } = diagnostic;
  return oneLine(`${name}:${line}:${column} ${title} (${message})`);
}

async function writeMended({ path }: WorkflowFile, text: string, stdout: Context['stdout']): Promise<void> {
  if (path === undefined) stdout.line(text.replace(/\n$/, ''));
  else await writeFile(path, text);
}
