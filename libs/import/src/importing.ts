/** Shared by all importers: draft steps and values, and findings with their places in the source. */
import { childOf, excerpt, interpolated, literal } from '@baton/expressions';
import type { Finding, ForeignText } from '@baton/language';
import type { Json, JsonObject } from '@baton/primitives';

import { type NameMeanings, celOf } from './expression/celOf.ts';
import { type Syntax, UnmappedError } from './expression/syntax.ts';
import { type ImportFindingCode, importFindings } from './importFindings.ts';
import { type Marks, partsOf } from './marked.ts';

/** A step in the form of a workflow file. */
export type StepDraft = Record<string, Json>;

export interface ImportedWorkflow {
  /** The workflow in the form of a file. It may not pass `baton check`. */
  readonly workflow: JsonObject & { readonly workflow: string };
  readonly findings: readonly Finding[];
  /** The tools that the workflow needs, by server. */
  readonly servers: ReadonlyMap<string, ReadonlySet<string>>;
}

interface Note {
  readonly pointer: string;
  readonly at?: 'key' | 'value';
  readonly message: string;
  readonly hint?: string;
}

interface NeededTool {
  readonly pointer: string;
  readonly was: string;
  readonly hint: string;
}

/** The expression syntax of another system. */
interface ExpressionSyntax {
  readonly marks: Marks;
  /** Throws `UnmappedError`. */
  readonly read: (code: string) => Syntax;
}

/** Collects findings, and the servers that the workflow needs. */
export class Import {
  readonly #text: ForeignText;
  readonly #syntax: ExpressionSyntax;
  readonly #findings: Finding[] = [];
  readonly #noted = new Set<string>();
  readonly servers = new Map<string, Set<string>>();

  constructor(text: ForeignText, syntax: ExpressionSyntax) {
    this.#text = text;
    this.#syntax = syntax;
  }

  get findings(): readonly Finding[] {
    return this.#findings.toSorted((a, b) => a.line - b.line || a.column - b.column);
  }

  note(code: ImportFindingCode, { pointer, at = 'value', message, hint }: Note): void {
    const { severity } = importFindings[code];
    const finding = { code, severity, message, ...(hint === undefined ? {} : { hint }) } as const;
    this.#findings.push(this.#text.findingAt({ pointer, at }, finding));
  }

  /** A finding that is the same for many places comes at the first of them. `what`: by what it is the same. */
  noteOnce(code: ImportFindingCode, note: Note, what = note.message): void {
    const key = `${code} ${what}`;
    if (this.#noted.has(key)) return;
    this.#noted.add(key);
    this.note(code, note);
  }

  /** Each key of a map that the importer does not know. `of`: what the map is. */
  noteOthers(fields: JsonObject, knownKeys: ReadonlySet<string>, pointer: string, of: string): void {
    for (const key of Object.keys(fields)) {
      if (knownKeys.has(key)) continue;
      const message = `Baton has no counterpart of \`${excerpt(key, 40)}\` of ${of}.`;
      this.note('left-out', { pointer: childOf(pointer, key), at: 'key', message });
    }
  }

  tool(server: string, name: string): string {
    const tools = this.servers.get(server) ?? new Set();
    this.servers.set(server, tools.add(name));
    return `${server}/${name}`;
  }

  /** The same for a tool that Baton's own servers do not have. The finding comes once for each tool; `was`: in the source. */
  neededTool(server: string, name: string, { pointer, was, hint }: NeededTool): string {
    const target = `${server}/${name}`;
    if (this.servers.get(server)?.has(name) === true) return target;
    const message = `${was} becomes the tool ${target}: an MCP server named "${server}" has to offer a tool "${name}".`;
    this.note('tool-needed', { pointer, message, hint });
    return this.tool(server, name);
  }

  /** The CEL of an expression. Without a counterpart it becomes an expression that fails the check. */
  expression(code: string, pointer: string, meanings: NameMeanings): string {
    try {
      return celOf(this.#syntax.read(code), meanings);
    } catch (error) {
      if (!(error instanceof UnmappedError)) throw error;
      return this.unmapped(code.trim(), pointer, error.message);
    }
  }

  /** Replaces an expression that has no counterpart: the check fails until the author writes one. */
  unmapped(what: string, pointer: string, why: string): string {
    const message = `"${excerpt(what, 60)}" could not be imported: ${why}.`;
    const hint = 'replace notImported(…) with an expression of Baton';
    this.note('expression-not-imported', { pointer, message, hint });
    return `notImported(${literal(excerpt(what))})`;
  }

  /** Translates a text with expressions. A text that is only an expression keeps its type. */
  template(text: string, pointer: string, meanings: NameMeanings): string {
    const written = (code: string): string => interpolated(this.expression(code, pointer, meanings));
    return partsOf(text, this.#syntax.marks)
      .map((part, i) => (i % 2 === 0 ? plain(part) : written(part)))
      .join('');
  }
}

/** Escapes a text without expressions. */
export const plain = (text: string): string => text.replaceAll('${{', interpolated('"${{"'));

/** A place in the file, for findings about its expressions. */
export interface WrittenPlace {
  readonly importing: Import;
  readonly pointer: string;
}
