/** Converts results of the language service into the Language Server Protocol 3.17. */
import type { Completion, CompletionKind, Edit, OutlineEntry } from '@baton/editor-service';
import type { Span } from '@baton/expressions';
import type { Diagnostic as ServiceDiagnostic } from '@baton/language';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import {
  type CompletionItem,
  type Diagnostic,
  type DocumentSymbol,
  type FoldingRange,
  type Range,
  type TextEdit,
  CompletionItemKind,
  DiagnosticSeverity,
  InsertTextFormat,
  InsertTextMode,
  SymbolKind,
} from 'vscode-languageserver/node';

export const rangeOf = (document: TextDocument, [start, end]: Span): Range => ({
  start: document.positionAt(start),
  end: document.positionAt(end),
});

export const editOf = (document: TextDocument, { span, text }: Edit): TextEdit => ({
  range: rangeOf(document, span),
  newText: text,
});

export function diagnosticOf(document: TextDocument, finding: ServiceDiagnostic): Diagnostic {
  const { code, severity, message, expected, hint, span } = finding;
  const lines = [
    message,
    ...(expected === undefined ? [] : [`Expected: ${expected}`]),
    ...(hint === undefined ? [] : [hint]),
  ];
  return {
    range: rangeOf(document, span),
    severity: severity === 'error' ? DiagnosticSeverity.Error : DiagnosticSeverity.Warning,
    code,
    source: 'baton',
    message: lines.join('\n'),
  };
}

const kinds: Readonly<Record<CompletionKind, CompletionItemKind>> = {
  key: CompletionItemKind.Property,
  verb: CompletionItemKind.Keyword,
  argument: CompletionItemKind.Property,
  value: CompletionItemKind.EnumMember,
  tool: CompletionItemKind.Method,
  prompt: CompletionItemKind.Text,
  event: CompletionItemKind.Event,
  server: CompletionItemKind.Module,
  resource: CompletionItemKind.File,
  workflow: CompletionItemKind.Reference,
  secret: CompletionItemKind.Constant,
  code: CompletionItemKind.EnumMember,
  step: CompletionItemKind.Variable,
  name: CompletionItemKind.Variable,
  field: CompletionItemKind.Field,
  function: CompletionItemKind.Function,
};

export function completionOf(document: TextDocument, one: Completion, place: number): CompletionItem {
  const { label, kind, detail, about, insert, isSnippet, replace, filter } = one;
  return {
    label,
    kind: kinds[kind],
    ...(detail === undefined ? {} : { detail }),
    ...(about === undefined || about === '' ? {} : { documentation: about }),
    // Keeps the order of the service.
    sortText: String(place).padStart(5, '0'),
    filterText: filter ?? label,
    insertTextFormat: isSnippet ? InsertTextFormat.Snippet : InsertTextFormat.PlainText,
    insertTextMode: InsertTextMode.adjustIndentation,
    textEdit: { range: rangeOf(document, replace), newText: insert },
  };
}

const symbolKinds: Readonly<Record<OutlineEntry['kind'], SymbolKind>> = {
  workflow: SymbolKind.Module,
  section: SymbolKind.Namespace,
  step: SymbolKind.Function,
  input: SymbolKind.Variable,
  trigger: SymbolKind.Event,
};

export const symbolOf = (document: TextDocument, entry: OutlineEntry): DocumentSymbol => ({
  name: entry.name === '' ? entry.kind : entry.name,
  detail: entry.detail,
  kind: symbolKinds[entry.kind],
  range: rangeOf(document, entry.span),
  selectionRange: rangeOf(document, entry.selection),
  children: entry.children.map((one) => symbolOf(document, one)),
});

export const foldOf = (document: TextDocument, [start, end]: Span): FoldingRange => ({
  startLine: document.positionAt(start).line,
  endLine: document.positionAt(end).line,
});
