/** `baton lsp --stdio`, driven by its protocol as an editor would, in a folder with an `mcp.json` of its own. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { appFile, brokenServer, offeringServer } from '@baton/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TextDocument } from 'vscode-languageserver-textdocument';
import {
  type CodeAction,
  type CompletionList,
  type Diagnostic,
  type DocumentSymbol,
  type Hover,
  type Location,
  type ProtocolConnection,
  type PublishDiagnosticsParams,
  type TextEdit,
  type WorkspaceEdit,
  createProtocolConnection,
  StreamMessageReader,
  StreamMessageWriter,
} from 'vscode-languageserver/node';

const folder = mkdtempSync(join(tmpdir(), 'baton-lsp-'));
const uriOf = (name: string): string => pathToFileURL(join(folder, name)).href;

const tools = [
  {
    name: 'create_issue',
    title: 'Create an issue',
    description: 'Opens an issue in a repository.',
    inputSchema: {
      type: 'object',
      properties: { title: { type: 'string' }, state: { type: 'string', enum: ['open', 'closed'], default: 'open' } },
      required: ['title'],
    },
    annotations: { idempotentHint: true },
  },
];

let child: ChildProcess;
let editor: ProtocolConnection;
let capabilities: object;
const published = new Map<string, Diagnostic[]>();
let onPublished: (() => void) | undefined;

/** The diagnostics of a file, once they are as they should be. */
async function diagnosed(
  uri: string,
  isRight: (found: readonly Diagnostic[]) => boolean,
): Promise<readonly Diagnostic[]> {
  for (;;) {
    const found = published.get(uri);
    if (found !== undefined && isRight(found)) return found;
    await new Promise<void>((resolve) => {
      onPublished = resolve;
    });
  }
}

const texts = new Map<string, string>();

async function open(name: string, text: string): Promise<string> {
  const uri = uriOf(name);
  texts.set(uri, text);
  await editor.sendNotification('textDocument/didOpen', {
    textDocument: { uri, languageId: 'yaml', version: 1, text },
  });
  return uri;
}

async function change(uri: string, text: string): Promise<void> {
  texts.set(uri, text);
  published.delete(uri);
  await editor.sendNotification('textDocument/didChange', {
    textDocument: { uri, version: 2 },
    contentChanges: [{ text }],
  });
}

/** Where a part of the text ends. */
function after(uri: string, part: string): object {
  const text = texts.get(uri) ?? '';
  const document = TextDocument.create(uri, 'yaml', 1, text);
  return { textDocument: { uri }, position: document.positionAt(text.indexOf(part) + part.length) };
}

const applied = (uri: string, edits: readonly TextEdit[]): string =>
  TextDocument.applyEdits(TextDocument.create(uri, 'yaml', 1, texts.get(uri) ?? ''), [...edits]);

/** Where no Baton answers. */
function begin(env: Readonly<Record<string, string>>): { child: ChildProcess; editor: ProtocolConnection } {
  const child = spawn(process.execPath, [appFile('cli'), 'lsp', '--stdio', '--url', 'http://127.0.0.1:1'], {
    cwd: folder,
    env: { ...process.env, ...env },
  });
  const { stdin, stdout } = child;
  if (stdin === null || stdout === null) throw new Error('no pipes');
  const editor = createProtocolConnection(new StreamMessageReader(stdout), new StreamMessageWriter(stdin));
  return { child, editor };
}

async function introduced(one: ProtocolConnection): Promise<{ capabilities: object }> {
  one.listen();
  const root = pathToFileURL(folder).href;
  const answer = await one.sendRequest<{ capabilities: object }>('initialize', {
    processId: process.pid,
    rootUri: root,
    workspaceFolders: [{ uri: root, name: 'x' }],
    capabilities: {},
  });
  await one.sendNotification('initialized', {});
  return answer;
}

beforeAll(async () => {
  const mcpServers = {
    tracker: offeringServer(join(folder, 'tools.json'), tools),
    gone: brokenServer('exits'),
  };
  writeFileSync(join(folder, 'mcp.json'), JSON.stringify({ mcpServers }));
  writeFileSync(
    join(folder, 'child.workflow.yaml'),
    'workflow: child\ninputs: { url: { type: string } }\nsteps: [{ set: { a: 1 } }]\n',
  );
  ({ child, editor } = begin({ BATON_TRUST_FOLDER: '1' }));
  editor.onNotification('textDocument/publishDiagnostics', ({ uri, diagnostics }: PublishDiagnosticsParams) => {
    published.set(uri, diagnostics);
    onPublished?.();
  });
  ({ capabilities } = await introduced(editor));
});

afterAll(async () => {
  const ended = once(child, 'exit');
  await editor.sendRequest('shutdown');
  await editor.sendNotification('exit');
  await ended;
  if (child.exitCode !== 0) throw new Error(`it ended with ${child.exitCode}`);
  rmSync(folder, { recursive: true, force: true });
});

const whole = `workflow: whole
steps:
  - id: made
    tool: tracker/create_issue
    with: { title: abc }
  - workflow: child
    with: { url: "\${{ steps.made.text }}" }
`;

test('it says what it can do', () => {
  expect(capabilities).toMatchObject({ hoverProvider: true, renameProvider: true, documentFormattingProvider: true });
});

test('a file whose workflow another file of the folder has is marked, until it has another name', async () => {
  const twin = 'workflow: child\nsteps: [{ set: { a: 2 } }]\n';
  const uri = await open('twin.workflow.yaml', twin);
  const found = await diagnosed(uri, (all) => all.some(({ code }) => code === 'duplicate-workflow'));
  expect(found).toMatchObject([
    {
      range: { start: { line: 0, character: 10 }, end: { line: 0, character: 15 } },
      message: expect.stringContaining('child.workflow.yaml is the workflow "child" too.') as string,
    },
  ]);
  await change(uri, twin.replace('child', 'only'));
  expect(await diagnosed(uri, (all) => all.length === 0)).toEqual([]);
});

test('a misspelt argument is marked, and the mend is offered', async () => {
  const uri = await open('broken.workflow.yaml', whole.replace('title: abc', 'titel: abc').replace('whole', 'broken'));
  const found = await diagnosed(uri, (all) => all.some(({ code }) => code === 'unknown-argument'));
  const first = found.find(({ code }) => code === 'unknown-argument');
  expect(first).toMatchObject({
    source: 'baton',
    severity: 1,
    range: { start: { line: 4, character: 12 }, end: { line: 4, character: 17 } },
  });
  const actions = await editor.sendRequest<CodeAction[]>('textDocument/codeAction', {
    textDocument: { uri },
    range: first?.range,
    context: { diagnostics: found },
  });
  const mend = actions.find(({ title }) => title === 'Write "title"');
  expect(mend?.isPreferred).toBe(true);
  expect(applied(uri, mend?.edit?.changes?.[uri] ?? [])).toContain('with: { title: abc }');
  expect(actions.map(({ kind }) => kind)).toContain('source.fixAll.baton');
});

test('a half-typed file is completed: tools by words, arguments, expressions', async () => {
  const uri = await open('typed.workflow.yaml', 'workflow: typed\nsteps:\n  - tool: issue');
  await diagnosed(uri, (all) => all.length > 0);
  const labels = async (part: string): Promise<string[]> => {
    const { items } = await editor.sendRequest<CompletionList>('textDocument/completion', after(uri, part));
    return items.map(({ label }) => label);
  };
  await expect.poll(async () => labels('tool: issue')).toEqual(['tracker/create_issue']);
  await change(uri, 'workflow: typed\nsteps:\n  - id: a\n    tool: tracker/create_issue\n    with: { ');
  expect(await labels('with: { ')).toEqual(['title', 'state']);
  await change(uri, 'workflow: typed\nsteps:\n  - id: a\n    set: { x: 1 }\n  - set: { b: "${{ steps.a.');
  expect(await labels('steps.a.')).toContain('x');
});

test('hover, definition, references, outline and folding of a file without mistakes', async () => {
  const uri = await open('whole.workflow.yaml', whole);
  await diagnosed(uri, (all) => all.length === 0);
  const hovered = await editor.sendRequest<Hover>('textDocument/hover', after(uri, 'tracker/cre'));
  expect(JSON.stringify(hovered.contents)).toContain('Opens an issue in a repository');
  expect(JSON.stringify(hovered.contents)).toContain("`idempotent` (the tool's annotations say so)");
  const place = await editor.sendRequest<Location>('textDocument/definition', after(uri, 'steps.ma'));
  expect(place.range.start).toEqual({ line: 2, character: 8 });
  const other = await editor.sendRequest<Location>('textDocument/definition', after(uri, 'workflow: chi'));
  expect(other.uri).toBe(uriOf('child.workflow.yaml'));
  const named = await editor.sendRequest<Location[]>('textDocument/references', {
    ...after(uri, 'id: ma'),
    context: { includeDeclaration: true },
  });
  expect(named.map(({ range }) => range.start.line)).toEqual([2, 6]);
  const outline = await editor.sendRequest<DocumentSymbol[]>('textDocument/documentSymbol', { textDocument: { uri } });
  expect(outline.map(({ name, children }) => [name, children?.map((one) => one.name)])).toEqual([
    ['steps', ['made', 'workflow']],
  ]);
  const folds = await editor.sendRequest<object[]>('textDocument/foldingRange', { textDocument: { uri } });
  expect(folds).toContainEqual({ startLine: 2, endLine: 4 });
});

test('a step is renamed in its file, a workflow in every file of the folder', async () => {
  const uri = uriOf('whole.workflow.yaml');
  const edit = await editor.sendRequest<WorkspaceEdit>('textDocument/rename', {
    ...after(uri, 'id: ma'),
    newName: 'created',
  });
  expect(applied(uri, edit.changes?.[uri] ?? [])).toBe(whole.replaceAll('made', 'created'));
  const both = await editor.sendRequest<WorkspaceEdit>('textDocument/rename', {
    ...after(uri, 'workflow: chi'),
    newName: 'kid',
  });
  expect(Object.keys(both.changes ?? {})).toContain(uriOf('child.workflow.yaml'));
  const refused = editor.sendRequest('textDocument/rename', { ...after(uri, 'id: ma'), newName: '1x' });
  await expect(refused).rejects.toThrow('"1x" is not a name that can stand here');
});

test('a file is formatted', async () => {
  const uri = await open('loose.workflow.yaml', 'steps:\n  - set: { a: 1 }\n    id: x\nworkflow: loose\n');
  const edits = await editor.sendRequest<TextEdit[]>('textDocument/formatting', {
    textDocument: { uri },
    options: { tabSize: 2, insertSpaces: true },
  });
  expect(applied(uri, edits)).toBe('workflow: loose\nsteps:\n  - id: x\n    set: { a: 1 }\n');
});

test('calls to an unreachable server are not checked, and the editor is told', async () => {
  const uri = await open('gone.workflow.yaml', 'workflow: gone\nsteps:\n  - tool: gone/anything\n');
  const [found] = await diagnosed(uri, (all) => all.some(({ code }) => code === 'assumed'));
  expect(found).toMatchObject({ severity: 2 });
  expect(found?.message).toContain('cannot be asked now');
});

test('The language server starts no program of a folder that the user has not allowed, says once how to allow it, and knows the language', async () => {
  const { child: other, editor: careful } = begin({ XDG_CONFIG_HOME: join(folder, 'config') });
  const warnings: string[] = [];
  const logged: string[] = [];
  const told = Promise.withResolvers<void>();
  const found = Promise.withResolvers<readonly Diagnostic[]>();
  careful.onNotification('window/showMessage', ({ message }: { message: string }) => {
    warnings.push(message);
    told.resolve();
  });
  careful.onNotification('window/logMessage', ({ message }: { message: string }) => {
    logged.push(message);
    told.resolve();
  });
  careful.onNotification('textDocument/publishDiagnostics', ({ uri, diagnostics }: PublishDiagnosticsParams) => {
    if (uri === uriOf('careful.workflow.yaml')) found.resolve(diagnostics);
  });
  await introduced(careful);
  await told.promise;
  await careful.sendNotification('workspace/didChangeWatchedFiles', { changes: [] });
  const text = whole.replace('title: abc', 'titel: abc').replace('workflow: whole', 'wrkflow: whole');
  const textDocument = { uri: uriOf('careful.workflow.yaml'), languageId: 'yaml', version: 1, text };
  await careful.sendNotification('textDocument/didOpen', { textDocument });
  const codes = (await found.promise).map(({ code }) => code);
  const ended = once(other, 'exit');
  await careful.sendRequest('shutdown');
  await careful.sendNotification('exit');
  await ended;
  expect(warnings).toEqual([expect.stringMatching(/not allowed: tracker: .*gone: .*BATON_TRUST_FOLDER=1/) as string]);
  expect(logged).toEqual([]);
  expect(codes).toContain('unknown-key');
  expect(codes).not.toContain('unknown-argument');
});
