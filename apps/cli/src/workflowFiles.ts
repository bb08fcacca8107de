/** Workflow files of a command line: files, folders, and `-` for stdin. */
import { isUtf8 } from 'node:buffer';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { text as readAll } from 'node:stream/consumers';

import { CommandError } from './commandError.ts';
import type { Context } from './context.ts';
import { exitCodes } from './exitCodes.ts';
import { whyOf } from './output/fileFault.ts';

export interface WorkflowFile {
  /** The name for messages. */
  readonly name: string;
  /** Absent for stdin. */
  readonly path?: string;
  readonly text: string;
}

/** Files that a folder includes. */
export interface FilesOf {
  readonly what: string;
  readonly suffix: RegExp;
  /** The ends of their names. */
  readonly example: string;
}

/** The files that a workflow is looked for in: by its whole name, where folders are its projects, and by its last part. */
export const fileNamesOf = (workflow: string): readonly string[] =>
  [...new Set([workflow, workflow.slice(workflow.lastIndexOf('/') + 1)])].flatMap((name) =>
    ['yaml', 'yml', 'json'].map((suffix) => `${name}.workflow.${suffix}`),
  );

const workflows: FilesOf = { what: 'workflow', suffix: /\.workflow\.(ya?ml|json)$/, example: '.workflow.yaml' };
/** More than a workflow may have; a larger file is not read. */
const bytesMax = 16 * 1024 * 1024;

/** A folder includes its `*.workflow.yaml`, `.yml` and `.json`, at any depth. Rejects with `CommandError`. */
export const readWorkflowFiles = (context: Context, names: readonly string[]): Promise<WorkflowFile[]> =>
  readFiles(context, names, workflows);

/** Rejects with `CommandError`. */
export async function readFiles(context: Context, names: readonly string[], of: FilesOf): Promise<WorkflowFile[]> {
  const files: WorkflowFile[] = [];
  for (const name of names) {
    const found = name === '-' ? [name] : await expand(name, of);
    for (const file of found) files.push(await readWorkflowFile(context, file));
  }
  return files;
}

/** Rejects with `CommandError`, for a folder too. */
export async function readWorkflowFile({ stdin }: Context, name: string): Promise<WorkflowFile> {
  return name === '-' ? { name: 'stdin', text: await readAll(stdin) } : { name, path: name, text: await read(name) };
}

/** Paths of the workflows in a folder, at any depth; empty if there are none. */
export const workflowFilesIn = (folder: string): Promise<string[]> => filesIn(folder, workflows.suffix);

async function filesIn(folder: string, suffix: RegExp): Promise<string[]> {
  const found: string[] = [];
  const folders = [folder];
  for (const at of folders) {
    const entries = await readdir(at, { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      if (entry.isDirectory()) {
        if (!isForeign(entry.name)) folders.push(join(at, entry.name));
      } else if (suffix.test(entry.name)) found.push(join(at, entry.name));
    }
  }
  return found.toSorted();
}

async function expand(name: string, { what, suffix, example }: FilesOf): Promise<string[]> {
  const found = await stat(name).catch((error: unknown) => {
    throw unreadable(name, error);
  });
  if (!found.isDirectory()) return [name];
  const files = await filesIn(name, suffix);
  if (files.length > 0) return files;
  throw new CommandError(exitCodes.usage, `There is no ${what} in the folder "${name}".`, {
    hint: `their names end in ${example}, .yml or .json; or name the file itself`,
  });
}

/** Packages, what a build wrote, and hidden folders are skipped in a folder; one that is named itself is read. */
export const isForeign = (folder: string): boolean =>
  folder === 'node_modules' || folder === 'dist' || folder.startsWith('.');

async function read(name: string): Promise<string> {
  try {
    const { size } = await stat(name);
    if (size > bytesMax) throw new CommandError(exitCodes.usage, `${name} is too large for a workflow: ${size} bytes.`);
    return decoded(name, await readFile(name));
  } catch (error) {
    throw unreadable(name, error);
  }
}

/**
 * Throws `CommandError` for bytes that are not UTF-8: the letters that were not read would be deployed as `\ufffd`, and
 * written so by `--fix`. The check itself names UTF-16.
 */
function decoded(name: string, bytes: Buffer): string {
  const text = bytes.toString('utf8');
  const mark = bytes.toString('latin1', 0, 2);
  if (isUtf8(bytes) || mark === '\xff\xfe' || mark === '\xfe\xff') return text;
  const line = text.slice(0, text.indexOf('\ufffd')).split('\n').length;
  throw new CommandError(exitCodes.usage, `${name} is not UTF-8: look at line ${line}.`, {
    hint: 'it may be Latin-1 or Windows-1252; save it again as UTF-8',
  });
}

function unreadable(name: string, error: unknown): unknown {
  if (error instanceof CommandError || !(error instanceof Error)) return error;
  return new CommandError(exitCodes.usage, `${name} cannot be read: ${whyOf(error)}.`, { cause: error });
}
