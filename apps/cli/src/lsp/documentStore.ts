/** The open workflow files of an editor, each parsed once for all requests. */
import { readFile } from 'node:fs/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';

import { type Completions, type TextReading, complete, readText } from '@baton/editor-service';
import { type CheckOptions, DocumentReader, type WorkflowSignature, parseWorkflow, signatureOf } from '@baton/language';
import { TextDocument, type Position } from 'vscode-languageserver-textdocument';

import { workflowFilesIn } from '../workflowFiles.ts';

/** How many files of a folder are searched for workflows that others call. */
const filesMax = 500;

/** Cached readers of one file. */
interface DocumentReaders {
  readonly text: DocumentReader;
  readonly completion: DocumentReader;
}

export class DocumentStore {
  readonly #documents = new Map<string, TextDocument>();
  readonly #readings = new Map<string, TextReading>();
  readonly #readers = new Map<string, DocumentReaders>();
  #known: CheckOptions = {};
  #folders: readonly string[] = [];
  /** Files that are not open, as they were when the folders were last read. */
  #closed: readonly TextDocument[] = [];

  /** `file:` URIs of the folders that are open. */
  set folders(folders: readonly string[]) {
    this.#folders = folders;
  }

  /** Parses everything again with the new knowledge. */
  set known(known: CheckOptions) {
    this.#known = known;
    this.#readings.clear();
  }

  get known(): CheckOptions {
    return this.#known;
  }

  get uris(): string[] {
    return [...this.#documents.keys()];
  }

  put(document: TextDocument): void {
    this.#documents.set(document.uri, document);
  }

  /** The editor has closed it; its file stays. */
  drop(uri: string): void {
    const document = this.#documents.get(uri);
    if (document !== undefined) this.#closed = [...this.#closed.filter((one) => one.uri !== uri), document];
    this.#documents.delete(uri);
    this.#readings.delete(uri);
    this.#readers.delete(uri);
  }

  get(uri: string): TextDocument | undefined {
    return this.#documents.get(uri);
  }

  reading(document: TextDocument): TextReading {
    const before = this.#readings.get(document.uri);
    const text = document.getText();
    if (before?.text === text && before.known === this.#known) return before;
    const reading = readText(text, this.#known, this.#readersOf(document).text);
    this.#readings.set(document.uri, reading);
    return reading;
  }

  complete(document: TextDocument, position: Position): Completions {
    const { completion } = this.#readersOf(document);
    return complete(document.getText(), document.offsetAt(position), this.#known, completion);
  }

  #readersOf({ uri }: TextDocument): DocumentReaders {
    const readers = this.#readers.get(uri) ?? { text: new DocumentReader(), completion: new DocumentReader() };
    this.#readers.set(uri, readers);
    return readers;
  }

  /** All files but this one; those that are not open as they were when `all` last read them. */
  others({ uri }: TextDocument): TextDocument[] {
    const closed = this.#closed.filter((one) => !this.#documents.has(one.uri));
    return [...this.#documents.values(), ...closed].filter((one) => one.uri !== uri);
  }

  /** Includes files that are not open, from disk. */
  async all(): Promise<TextDocument[]> {
    const open = [...this.#documents.values()];
    const known = new Set(this.uris);
    const paths = (await Promise.all(this.#folders.map(pathsIn))).flat().slice(0, filesMax);
    const closed = paths.map((path) => pathToFileURL(path).href).filter((uri) => !known.has(uri));
    const read = await Promise.all(closed.map(readClosed));
    this.#closed = read.flatMap((one) => one ?? []);
    return [...open, ...this.#closed];
  }

  /** Inputs and outputs of the folder's workflows, by name. */
  async signatures(): Promise<Map<string, WorkflowSignature>> {
    const found = new Map<string, WorkflowSignature>();
    for (const document of await this.all()) {
      const { workflow } = parseWorkflow(document.getText());
      if (workflow !== undefined) found.set(workflow.workflow, signatureOf(workflow));
    }
    return found;
  }

  /** The file of a workflow, and the place of its name. */
  async fileOf(workflow: string): Promise<TextDocument | undefined> {
    const all = await this.all();
    return all.find((one) => parseWorkflow(one.getText()).workflow?.workflow === workflow);
  }
}

const pathsIn = (folder: string): Promise<string[]> =>
  folder.startsWith('file:') ? workflowFilesIn(fileURLToPath(folder)) : Promise.resolve([]);

async function readClosed(uri: string): Promise<TextDocument | undefined> {
  // The file may be gone by now.
  const text = await readFile(fileURLToPath(uri), 'utf8').catch(() => undefined);
  return text === undefined ? undefined : TextDocument.create(uri, 'yaml', 0, text);
}
