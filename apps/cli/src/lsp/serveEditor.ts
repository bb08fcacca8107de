/** `baton lsp`: serves the language service over the Language Server Protocol 3.17. */
import { fileURLToPath } from 'node:url';

import {
  definition,
  diagnose,
  fixAll,
  fixes,
  folding,
  format,
  hover,
  references,
  rename,
  renameWorkflow,
  symbols,
  type TextReading,
} from '@baton/editor-service';
import type { CheckOptions } from '@baton/language';
import { unawaited } from '@baton/primitives';
import { TextDocument } from 'vscode-languageserver-textdocument';
import {
  type CodeAction,
  type Connection,
  type InitializeParams,
  type InitializeResult,
  type WorkspaceEdit,
  CodeActionKind,
  createConnection,
  ErrorCodes,
  MarkupKind,
  MessageType,
  ResponseError,
  ShowMessageNotification,
  TextDocuments,
  TextDocumentSyncKind,
} from 'vscode-languageserver/node';

import { CommandError } from '../commandError.ts';
import { type Knowledge, languageOnly } from '../knowledge/serverKnowledge.ts';
import { completionOf, diagnosticOf, editOf, foldOf, rangeOf, symbolOf } from './convert.ts';
import { DocumentStore } from './documentStore.ts';
import { nameIn, twinDiagnostics } from './twins.ts';

export interface EditorOptions {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
  readonly version: string;
  /** Called at the start, and when the server configuration changes. `folder`: a path. */
  readonly learn: (folder: string | undefined) => Promise<Knowledge>;
  readonly now: () => number;
}

/** Serves until the editor says `exit`, or closes the stream. */
export function serveEditor(options: EditorOptions): void {
  const connection = createConnection(options.input, options.output);
  const store = new DocumentStore();
  const documents = new TextDocuments(TextDocument);
  const editor = new Editor(connection, store, options);
  documents.onDidChangeContent(({ document }) => editor.changed(document));
  documents.onDidClose(({ document }) => editor.closed(document));
  editor.listen();
  documents.listen(connection);
  connection.listen();
}

const fixAllKind = `${CodeActionKind.SourceFixAll}.baton`;

class Editor {
  readonly #connection: Connection;
  readonly #store: DocumentStore;
  readonly #options: EditorOptions;
  #folder: string | undefined;
  #knowledge: Knowledge = languageOnly;
  #warned: string | undefined;
  readonly #waiting = new Set<string>();
  /** Names of the workflows in the open files. */
  readonly #names = new Map<string, string | undefined>();

  constructor(connection: Connection, store: DocumentStore, options: EditorOptions) {
    this.#connection = connection;
    this.#store = store;
    this.#options = options;
    store.known = languageOnly.known;
  }

  listen(): void {
    const connection = this.#connection;
    connection.onInitialize((params) => this.#initialize(params));
    connection.onInitialized(() => unawaited(this.#learn()));
    connection.onDidChangeWatchedFiles(() => unawaited(this.#learn()));
    connection.onCompletion(({ textDocument, position }) =>
      this.#with(textDocument.uri, (_, document) => {
        const { items, isPartial } = this.#store.complete(document, position);
        return { isIncomplete: isPartial, items: items.map((one, i) => completionOf(document, one, i)) };
      }),
    );
    connection.onHover(({ textDocument, position }) =>
      this.#with(textDocument.uri, (reading, document) => {
        const found = hover(reading, document.offsetAt(position), this.#options.now());
        if (found === undefined) return null;
        const contents = { kind: MarkupKind.Markdown, value: found.paragraphs.join('\n\n') };
        return { contents, range: rangeOf(document, found.span) };
      }),
    );
    connection.onDefinition(async ({ textDocument, position }) => this.#define(textDocument.uri, position));
    connection.onReferences(({ textDocument, position }) =>
      this.#with(textDocument.uri, (reading, document) =>
        references(reading, document.offsetAt(position)).map(({ span }) => ({
          uri: document.uri,
          range: rangeOf(document, span),
        })),
      ),
    );
    connection.onRenameRequest(async ({ textDocument, position, newName }) =>
      this.#rename(textDocument.uri, position, newName),
    );
    connection.onDocumentSymbol(({ textDocument }) =>
      this.#with(textDocument.uri, (reading, document) => symbols(reading).map((one) => symbolOf(document, one))),
    );
    connection.onFoldingRanges(({ textDocument }) =>
      this.#with(textDocument.uri, (reading, document) => folding(reading).map((one) => foldOf(document, one))),
    );
    connection.onDocumentFormatting(({ textDocument }) =>
      this.#with(textDocument.uri, (_, document) => {
        const text = document.getText();
        const written = format(text);
        return written === text ? [] : [editOf(document, { span: [0, text.length], text: written })];
      }),
    );
    connection.onCodeAction(({ textDocument, range, context }) =>
      this.#with(textDocument.uri, (reading, document) => {
        const { start, end } = range;
        return this.#actions(reading, document, [document.offsetAt(start), document.offsetAt(end)], context.only);
      }),
    );
  }

  changed(document: TextDocument): void {
    this.#store.put(document);
    const name = nameIn(document.getText());
    // Another name, or a new file, can make a file a twin, or end that.
    const isRenamed = this.#names.get(document.uri) !== name;
    this.#names.set(document.uri, name);
    for (const uri of isRenamed ? this.#store.uris : [document.uri]) this.#publishSoon(uri);
  }

  closed({ uri }: TextDocument): void {
    this.#store.drop(uri);
    this.#names.delete(uri);
    unawaited(this.#connection.sendDiagnostics({ uri, diagnostics: [] }));
  }

  #initialize({ workspaceFolders, rootUri }: InitializeParams): InitializeResult {
    const folders = workspaceFolders?.map(({ uri }) => uri) ?? (rootUri === null ? [] : [rootUri]);
    this.#store.folders = folders;
    [this.#folder] = folders;
    return {
      serverInfo: { name: 'baton', version: this.#options.version },
      capabilities: {
        textDocumentSync: TextDocumentSyncKind.Incremental,
        completionProvider: { triggerCharacters: ['.', '/', '"', '{', '[', ' ', ':', '?'] },
        hoverProvider: true,
        definitionProvider: true,
        referencesProvider: true,
        renameProvider: true,
        documentSymbolProvider: true,
        foldingRangeProvider: true,
        documentFormattingProvider: true,
        codeActionProvider: { codeActionKinds: [CodeActionKind.QuickFix, fixAllKind] },
      },
    };
  }

  async #learn(): Promise<void> {
    try {
      this.#knowledge = await this.#options.learn(this.#folder);
      for (const note of this.#knowledge.notes) this.#connection.console.info(note);
    } catch (error) {
      // The language works without servers.
      if (error instanceof CommandError) this.#warnOnce(error);
      else this.#connection.console.error(error instanceof Error ? error.message : String(error));
    }
    this.#store.known = await this.#withLocal(this.#knowledge.known);
    for (const uri of this.#store.uris) this.#publishSoon(uri);
  }

  /** The servers are asked for anew with each saved file. */
  #warnOnce({ message, hint }: CommandError): void {
    const warning = hint === undefined ? message : `${message} Hint: ${hint}.`;
    if (warning === this.#warned) return;
    this.#warned = warning;
    // `window.showWarningMessage` is a request, which waits for a person.
    const shown = { type: MessageType.Warning, message: warning };
    unawaited(this.#connection.sendNotification(ShowMessageNotification.method, shown));
  }

  /** Workflows of the folder count as if they were deployed. */
  async #withLocal(known: CheckOptions): Promise<CheckOptions> {
    const local = await this.#store.signatures();
    if (known.workflows === undefined && local.size < 2) return known;
    return { ...known, workflows: new Map([...(known.workflows ?? []), ...local]) };
  }

  /** Only the last change of a burst counts. */
  #publishSoon(uri: string): void {
    if (this.#waiting.has(uri)) return;
    this.#waiting.add(uri);
    setImmediate(() => {
      this.#waiting.delete(uri);
      const document = this.#store.get(uri);
      if (document === undefined) return;
      const found = diagnose(this.#store.reading(document)).map((one) => diagnosticOf(document, one));
      const folder = this.#folder?.startsWith('file:') === true ? fileURLToPath(this.#folder) : undefined;
      const diagnostics = [...twinDiagnostics(document, this.#store.others(document), folder), ...found];
      unawaited(this.#connection.sendDiagnostics({ uri, version: document.version, diagnostics }));
    });
  }

  #with<T>(uri: string, answer: (reading: TextReading, document: TextDocument) => T): T | null {
    const document = this.#store.get(uri);
    return document === undefined ? null : answer(this.#store.reading(document), document);
  }

  async #define(uri: string, position: Parameters<TextDocument['offsetAt']>[0]) {
    const document = this.#store.get(uri);
    if (document === undefined) return null;
    const found = definition(this.#store.reading(document), document.offsetAt(position));
    if (found === undefined) return null;
    if (found.kind === 'here') return { uri, range: rangeOf(document, found.span) };
    const file = await this.#store.fileOf(found.workflow);
    return file === undefined ? null : { uri: file.uri, range: rangeOf(file, [0, 0]) };
  }

  async #rename(
    uri: string,
    position: Parameters<TextDocument['offsetAt']>[0],
    name: string,
  ): Promise<WorkspaceEdit | null> {
    const document = this.#store.get(uri);
    const found = document && rename(this.#store.reading(document), document.offsetAt(position), name);
    if (document === undefined || found === undefined) return null;
    if (found.kind === 'refused') throw new ResponseError(ErrorCodes.InvalidParams, found.reason);
    const changes: Record<string, ReturnType<typeof editOf>[]> = {
      [uri]: found.edits.map((one) => editOf(document, one)),
    };
    const { workflow } = found;
    if (workflow === undefined) return { changes };
    for (const other of await this.#store.all()) {
      if (other.uri === uri) continue;
      const edits = renameWorkflow(this.#store.reading(other), workflow.from, workflow.to);
      if (edits.length > 0) changes[other.uri] = edits.map((one) => editOf(other, one));
    }
    return { changes };
  }

  #actions(
    reading: TextReading,
    document: TextDocument,
    [start, end]: readonly [number, number],
    only: readonly string[] | undefined,
  ): CodeAction[] {
    const wants = (kind: string): boolean => only?.some((one) => kind === one || kind.startsWith(`${one}.`)) ?? true;
    const quick = fixes(reading).filter(({ diagnostic: { span } }) => span[0] <= end && span[1] >= start);
    const actions = quick.map((one): CodeAction => ({
      title: one.title,
      kind: CodeActionKind.QuickFix,
      diagnostics: [diagnosticOf(document, one.diagnostic)],
      isPreferred: one.isCertain,
      edit: { changes: { [document.uri]: one.edits.map((edit) => editOf(document, edit)) } },
    }));
    const text = document.getText();
    const { text: mended, made } = wants(fixAllKind) ? fixAll(reading) : { text, made: [] };
    const whole: CodeAction[] =
      made.length === 0
        ? []
        : [
            {
              title: `Apply all ${made.length} certain corrections`,
              kind: fixAllKind,
              edit: { changes: { [document.uri]: [editOf(document, { span: [0, text.length], text: mended })] } },
            },
          ];
    return [...(wants(CodeActionKind.QuickFix) ? actions : []), ...whole];
  }
}
