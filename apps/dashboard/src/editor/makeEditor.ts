/** Sets CodeMirror up: YAML, the usual keys, and completion, hover and findings from the checker. */
import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { yaml } from '@codemirror/lang-yaml';
import { bracketMatching, foldGutter, foldKeymap, indentUnit } from '@codemirror/language';
import { type Diagnostic as Marked, diagnosticCount, lintKeymap, setDiagnostics } from '@codemirror/lint';
import { searchKeymap } from '@codemirror/search';
import { EditorState } from '@codemirror/state';
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  hoverTooltip,
  keymap,
  lineNumbers,
} from '@codemirror/view';

import { shownText } from '../shownText/shownText.ts';
import { checker } from './checker.ts';
import type { Findings, KnownWorld } from './checkerCalls.ts';
import { completionSource } from './completionSource.ts';
import { droppedStep } from './droppedStep.ts';
import { editorLook } from './editorLook.ts';

const marks = /`([^`]+)`|\*\*([^*]+)\*\*|\\(.)/g;

function hoverDom(paragraphs: readonly string[]): HTMLElement {
  const box = document.createElement('div');
  box.className = 'cm-hover';
  for (const paragraph of paragraphs) {
    const place = document.createElement('p');
    append(place, paragraph.replaceAll(/^```\w*\n?|```$/gm, ''));
    box.append(place);
  }
  return box;
}

function append(place: HTMLElement, text: string): void {
  let from = 0;
  for (const match of text.matchAll(marks)) {
    const [whole, code, strong, escaped] = match;
    place.append(shownText(text.slice(from, match.index)));
    if (escaped !== undefined) place.append(shownText(escaped));
    else {
      const element = document.createElement(code === undefined ? 'b' : 'code');
      element.textContent = shownText(code ?? strong ?? '');
      place.append(element);
    }
    from = match.index + whole.length;
  }
  place.append(shownText(text.slice(from)));
}

interface EditorParts {
  readonly known: () => KnownWorld;
  /** Called before the change is drawn. */
  readonly onTyped: (text: string) => void;
  readonly onChange: (text: string) => void;
  readonly onSave: () => void;
}

export function makeEditor(
  root: ShadowRoot,
  doc: string,
  { known, onTyped, onChange, onSave }: EditorParts,
): EditorView {
  const save = { key: 'Mod-s', preventDefault: true, run: () => (onSave(), true) };
  const extensions = [
    lineNumbers(),
    foldGutter(),
    // Draws a dot for each mark of direction and each control character.
    highlightSpecialChars(),
    history(),
    drawSelection(),
    EditorState.tabSize.of(2),
    indentUnit.of('  '),
    bracketMatching(),
    closeBrackets(),
    highlightActiveLine(),
    highlightActiveLineGutter(),
    yaml(),
    editorLook,
    droppedStep,
    autocompletion({ override: [completionSource(known)], icons: false }),
    hoverTooltip(async (view, at) => {
      const found = await checker.hover(view.state.doc.toString(), at, known());
      if (found === undefined || found.span[1] > view.state.doc.length) return null;
      return { pos: found.span[0], end: found.span[1], create: () => ({ dom: hoverDom(found.paragraphs) }) };
    }),
    keymap.of([
      save,
      ...closeBracketsKeymap,
      ...completionKeymap,
      ...lintKeymap,
      ...searchKeymap,
      ...historyKeymap,
      ...foldKeymap,
      ...defaultKeymap,
      indentWithTab,
    ]),
    EditorView.contentAttributes.of({
      'aria-label': 'Text of the workflow',
      'aria-description': 'Tab indents. Escape, then Tab, leaves the text.',
      tabindex: '0',
    }),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) onChange(update.state.doc.toString());
    }),
  ];
  return new EditorView({
    state: EditorState.create({ doc, extensions }),
    root,
    parent: root,
    dispatchTransactions: (transactions, view) => {
      const last = transactions.at(-1);
      if (last !== undefined && transactions.some(({ docChanged }) => docChanged)) onTyped(last.newDoc.toString());
      view.update(transactions);
    },
  });
}

export function showFindings(view: EditorView, { diagnostics, fixes }: Findings): void {
  const end = view.state.doc.length;
  const marks = diagnostics.map((finding): Marked => {
    const [from, to] = finding.span;
    const own = fixes.filter(
      ({ diagnostic }) =>
        diagnostic.code === finding.code && diagnostic.span[0] === from && diagnostic.message === finding.message,
    );
    return {
      from: Math.min(from, end),
      to: Math.min(Math.max(to, from), end),
      severity: finding.severity,
      message: shownText([finding.message, finding.hint].filter((one) => one !== undefined).join('\n')),
      actions: own.map(({ title, edits }) => ({
        name: title,
        apply: (editor) =>
          editor.dispatch({ changes: edits.map(({ span, text }) => ({ from: span[0], to: span[1], insert: text })) }),
      })),
    };
  });
  if (marks.length > 0 || diagnosticCount(view.state) > 0) view.dispatch(setDiagnostics(view.state, marks));
}

export function showSpan(view: EditorView, [from]: readonly [number, number]): void {
  const at = Math.min(from, view.state.doc.length);
  view.dispatch({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at, { y: 'center' }) });
  view.focus();
}

export function replaceAll(view: EditorView, text: string): void {
  view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
}

/** The selected text, or the expression around the cursor; undefined if there is neither. */
export function expressionAt({ state }: EditorView): string | undefined {
  const { from, to, head } = state.selection.main;
  if (from < to) return state.sliceDoc(from, to);
  const text = state.doc.toString();
  const begin = text.lastIndexOf('${{', head);
  const end = text.indexOf('}}', Math.max(begin, head - 2));
  if (begin === -1 || end === -1) return undefined;
  const inner = text.slice(begin + 3, end);
  return inner.includes('}}') || inner.includes('\n') ? undefined : inner.trim();
}
