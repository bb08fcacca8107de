import type { Command } from 'commander';

import type { Context } from '../context.ts';
import { exitCodes } from '../exitCodes.ts';
import { addExamples } from './examples.ts';

interface Options {
  readonly check?: true;
}

export function define(command: Command, context: Context): void {
  command
    .argument('<files...>', 'workflow files, folders of them, or - for stdin')
    .option('--check', 'only list the files that are not formatted, and exit with 1 if there are any')
    .action(async (names: readonly string[], options: Options) => formatFiles(context, names, options));
  addExamples(command, [
    ['baton fmt .', 'put the keys of all workflows in a folder in order'],
    ['baton fmt --check .', 'list the files that would change'],
    ['baton fmt - < a.workflow.yaml', 'print the formatted text'],
  ]);
}

async function formatFiles(context: Context, names: readonly string[], { check }: Options): Promise<void> {
  const [{ writeFile }, { format }, { readWorkflowFiles }] = await Promise.all([
    import('node:fs/promises'),
    import('@baton/editor-service'),
    import('../workflowFiles.ts'),
  ]);
  const { stdout, stderr } = context;
  const changed: string[] = [];
  for (const { name, path, text } of await readWorkflowFiles(context, names)) {
    const written = format(text);
    if (written !== text) changed.push(name);
    if (path === undefined && check !== true) stdout.line(written.replace(/\n$/, ''));
    else if (path !== undefined && written !== text && check !== true) await writeFile(path, written);
  }
  for (const name of changed) (check === true ? stdout : stderr).line(check === true ? name : `${name} is formatted.`);
  if (check === true && changed.length > 0) context.exitCode = exitCodes.failed;
}
