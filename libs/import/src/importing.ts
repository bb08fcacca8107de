/** What every importer makes: steps and values as a workflow file has them, and findings at the places they came from. */
import type { Finding, ForeignText, Json, JsonObject } from '@baton/language';
import { excerpt, interpolated, literal } from '@baton/language';

import type { NameMeanings } from './expression/celOf.ts';
import { celOf } from './expression/celOf.ts';
import type { Syntax } from './expression/syntax.ts';
import { UnmappedError } from './expression/syntax.ts';
import type { Marks } from './marked.ts';
import { partsOf } from './marked.ts';

/** A step as a file has it. */
export type StepDraft = Record<string, Json>;

export interface ImportedWorkflow {
  /** As a workflow file has it; it need not check. */
  readonly workflow: JsonObject & { readonly workflow: string };
  readonly findings: readonly Finding[];
  /** Tools by the server that has to have them. */
  readonly servers: ReadonlyMap<string, ReadonlySet<string>>;
}

export type ImportFindingCode =
  /** The expression has no counterpart; it becomes `notImported("…")`, which does not check. */
  | 'expression-not-imported'
  /** A tool of that name has to be written or found. */
  | 'tool-needed'
  /** Nothing stands for it in the workflow. */
  | 'left-out'
  /** It is there, and means something else than before. */
  | 'differs';

interface Note {
  readonly pointer: string;
  readonly at?: 'key' | 'value';
  readonly message: string;
  readonly hint?: string;
}

/** How another system writes expressions. */
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
  readonly servers = new Map<string, Set<string>>();

  constructor(text: ForeignText, syntax: ExpressionSyntax) {
    this.#text = text;
    this.#syntax = syntax;
  }

  get findings(): readonly Finding[] {
    return this.#findings.toSorted((a, b) => a.line - b.line || a.column - b.column);
  }

  note(code: ImportFindingCode, { pointer, at = 'value', message, hint }: Note): void {
    const severity = code === 'expression-not-imported' ? 'error' : 'warning';
    const told = { code, severity, message, ...(hint === undefined ? {} : { hint }) } as const;
    this.#findings.push(this.#text.findingAt({ pointer, at }, told));
  }

  tool(server: string, name: string): string {
    const tools = this.servers.get(server) ?? new Set();
    this.servers.set(server, tools.add(name));
    return `${server}/${name}`;
  }

  /** The CEL of an expression; one that fails the check where it has no counterpart. */
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
    const hint = 'write it as an expression of Baton, in the place of notImported(…)';
    this.note('expression-not-imported', { pointer, message, hint });
    return `notImported(${literal(excerpt(what))})`;
  }

  /** A text with expressions in it. One that is an expression alone keeps its type. */
  template(text: string, pointer: string, meanings: NameMeanings): string {
    const written = (code: string): string => interpolated(this.expression(code, pointer, meanings));
    return partsOf(text, this.#syntax.marks)
      .map((part, i) => (i % 2 === 0 ? plain(part) : written(part)))
      .join('');
  }
}

/** A text that is no expression. */
export const plain = (text: string): string => text.replaceAll('${{', interpolated('"${{"'));
