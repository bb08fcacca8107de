/** `baton init`: writes the first files of a folder, and never touches existing files. */
import { access, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { readServersFile, usualServersFiles } from '@baton/boot';

import { CommandError } from '../commandError.ts';
import type { Context } from '../context.ts';
import { exitCodes } from '../exitCodes.ts';
import { commandName } from '../output/commandName.ts';
import { whyOf } from '../output/fileFault.ts';
import { padEnd } from '../output/text.ts';
import { rememberServers } from '../trust/allowServers.ts';
import { type FirstFile, firstFiles } from './firstFiles.ts';
import type { Template } from './templates.ts';

/** Prints the paths of written files to stdout. Rejects with `CommandError` if the folder is not writable. */
export async function initFolder(context: Context, template: Template, folder: string): Promise<void> {
  const { stdout, stderr, env } = context;
  const files = await firstFiles(template);
  const width = Math.max(...files.map(({ name }) => join(folder, name).length));
  await make(folder);
  for (const file of files) {
    const path = join(folder, file.name);
    const present = await write(folder, file);
    if (present !== undefined) stderr.line(stderr.paint.dim(`${present} already exists, and is kept`));
    else if (stdout.isTerminal)
      stdout.line(`${stdout.paint.green('✓')} ${padEnd(path, width)}  ${stdout.paint.dim(file.about)}`);
    else stdout.line(path);
    if (present === undefined && file.name === usualServersFiles[0])
      await rememberServers(context, await readServersFile(path, process.cwd()));
  }
  const { bold } = stderr.paint;
  const enter = folder === '.' ? '' : `${bold(`cd ${folder}`)}, `;
  const name = commandName(env);
  const run = template.start ?? `${name} run ${template.workflow} --watch`;
  stderr.line(`Next: ${enter}${bold(`${name} dev`)}, and in another terminal ${bold(run)}`);
}

const refused = (folder: string, cause: unknown): CommandError =>
  new CommandError(exitCodes.usage, `Cannot write to ${folder}: ${whyOf(cause)}.`, {
    cause,
  });

async function make(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true }).catch((error: unknown) => {
    throw refused(folder, error);
  });
}

/** Undefined if it was written, else the existing file. */
async function write(folder: string, { name, text, others = [] }: FirstFile): Promise<string | undefined> {
  for (const other of others) if (await exists(join(folder, other))) return join(folder, other);
  try {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text, { flag: 'wx' });
    return undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return join(folder, name);
    throw refused(folder, error);
  }
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );
