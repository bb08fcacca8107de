/** `baton dev`: finds the file that names the MCP servers if there is no `mcp.json`. */
import { access } from 'node:fs/promises';
import { join } from 'node:path';

import { usualServersFiles } from '@baton/boot';

import type { Context } from '../context.ts';
import type { Environment } from '../environment.ts';
import { shellWord } from '../shellWord.ts';

/** Files of editors, in the folder of the project. */
const ofProject = ['.cursor/mcp.json', '.vscode/mcp.json'];

/** The path for `BATON_SERVERS`; undefined if the usual file exists, or none is wanted. */
export async function findServers(context: Context, folder: string): Promise<string | undefined> {
  if ((await existing(usualServersFiles.map((name) => join(folder, name)))).length > 0) return undefined;
  const near = await existing(ofProject.map((name) => join(folder, name)));
  const found = [...near, ...(await existing(claudeFiles(context.env)))];
  if (found.length === 0) return undefined;
  if (context.isInteractive) return choose(context, found);
  // The file of another program names programs to start: it is used only if a person agrees.
  context.stderr.line(`There is no mcp.json here. To use ${found[0]}: BATON_SERVERS=${shellWord(found[0] ?? '')}`);
  return undefined;
}

async function choose(context: Context, found: readonly string[]): Promise<string | undefined> {
  const { isCancel, select } = await import('@clack/prompts');
  const none = { value: '', label: 'none', hint: 'start without servers' };
  const chosen = await select({
    message: 'There is no mcp.json here. Which MCP servers?',
    options: [...found.map((path) => ({ value: path, label: path })), none],
    output: context.stderr.stream,
  });
  return isCancel(chosen) || chosen === '' ? undefined : chosen;
}

/** Claude Desktop's file, by system. */
function claudeFiles({ HOME, APPDATA }: Environment): string[] {
  const name = join('Claude', 'claude_desktop_config.json');
  return [
    ...(HOME === undefined ? [] : [join(HOME, 'Library', 'Application Support', name), join(HOME, '.config', name)]),
    ...(APPDATA === undefined ? [] : [join(APPDATA, name)]),
  ];
}

async function existing(paths: readonly string[]): Promise<string[]> {
  const there = await Promise.all(
    paths.map((path) =>
      access(path).then(
        () => true,
        () => false,
      ),
    ),
  );
  return paths.filter((_, index) => there[index]);
}
