/**
 * Starts `baton lsp` for workflow files, and has a button for what the command line does. All rules are the server's.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { type ExtensionContext, type Uri, commands, env, Uri as Uris, window, workspace } from 'vscode';
import { LanguageClient } from 'vscode-languageclient/node';

let client: LanguageClient | undefined;

export async function activate(context: ExtensionContext): Promise<void> {
  context.subscriptions.push(
    commands.registerCommand('baton.run', async (uri?: Uri) => inTerminal(uri, ['run'])),
    commands.registerCommand('baton.check', async (uri?: Uri) => inTerminal(uri, ['check', '--servers'])),
    commands.registerCommand('baton.open', async (uri?: Uri) => open(uri)),
  );
  const command = batonCommand();
  client = new LanguageClient(
    'baton',
    'Baton',
    {
      command,
      args: ['lsp', '--stdio', '--url', batonUrl()],
      // Only a trusted folder has the extension: the person has been asked.
      options: { env: { ...process.env, BATON_TRUST_FOLDER: '1' } },
    },
    {
      documentSelector: [{ language: 'baton-workflow' }, { scheme: 'file', pattern: '**/*.workflow.{yaml,yml,json}' }],
      synchronize: { fileEvents: workspace.createFileSystemWatcher('**/{mcp.json,.mcp.json,*.workflow.yaml}') },
    },
  );
  try {
    await client.start();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    void window.showErrorMessage(
      `"${command} lsp" did not start: ${why} Set "baton.path", or install Baton in this folder.`,
    );
  }
}

export const deactivate = async (): Promise<void> => client?.stop();

const batonUrl = (): string => workspace.getConfiguration('baton').get('url', 'http://127.0.0.1:4400');

/** The setting, then the folder's own, then the one on the PATH. */
function batonCommand(): string {
  const written = workspace.getConfiguration('baton').get('path', '');
  if (written !== '') return written;
  const name = process.platform === 'win32' ? 'baton.cmd' : 'baton';
  const local = workspace.workspaceFolders?.map(({ uri }) => join(uri.fsPath, 'node_modules', '.bin', name));
  return local?.find((path) => existsSync(path)) ?? 'baton';
}

const fileOf = (uri: Uri | undefined): Uri | undefined => uri ?? window.activeTextEditor?.document.uri;

async function inTerminal(uri: Uri | undefined, words: readonly string[]): Promise<void> {
  const file = fileOf(uri);
  if (file === undefined) return;
  await workspace.openTextDocument(file).then(async (document) => document.save());
  const folder = workspace.getWorkspaceFolder(file)?.uri;
  // A process of its own: no shell reads the name of the file.
  const terminal = window.createTerminal({
    name: `baton ${words[0] ?? ''}`,
    shellPath: batonCommand(),
    shellArgs: [...words, '--url', batonUrl(), file.fsPath],
    ...(folder === undefined ? {} : { cwd: folder }),
  });
  terminal.show();
}

/** The workflow's page, by the name that stands in the file. */
async function open(uri: Uri | undefined): Promise<void> {
  const file = fileOf(uri);
  if (file === undefined) return;
  const document = await workspace.openTextDocument(file);
  const id = /^\s*"?workflow"?\s*:\s*"?([a-z0-9][a-z0-9/-]*)/m.exec(document.getText())?.[1];
  if (id === undefined) void window.showWarningMessage('This file names no workflow.');
  else await env.openExternal(Uris.parse(`${batonUrl().replace(/\/$/, '')}/workflows/${id.replaceAll('/', '~')}`));
}
