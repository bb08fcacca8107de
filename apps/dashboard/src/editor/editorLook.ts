/** Colours of the text, named by the tokens of the page. */
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';

const theme = EditorView.theme({
  '&': { height: '100%', color: 'var(--text)', backgroundColor: 'var(--bg)', fontSize: '13px' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '20px' },
  '.cm-content': { caretColor: 'var(--text)', padding: '12px 0' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-gutters': { backgroundColor: 'var(--bg)', color: 'var(--text-3)', border: '0' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'var(--bg-hover)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    background: 'color-mix(in oklab, var(--accent) 26%, transparent)',
  },
  '.cm-matchingBracket': { backgroundColor: 'var(--accent-soft)' },
  '.cm-tooltip': {
    border: '0',
    borderRadius: '8px',
    backgroundColor: 'var(--bg-raised)',
    color: 'var(--text)',
    boxShadow: 'var(--shadow)',
    overflow: 'hidden',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': {
    fontFamily: 'var(--sans)',
    fontSize: '13px',
    maxHeight: '280px',
    padding: '4px',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '3px 8px', borderRadius: '5px' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    backgroundColor: 'var(--accent-soft)',
    color: 'var(--text)',
  },
  '.cm-completionDetail': { color: 'var(--text-3)', fontStyle: 'normal', marginLeft: '10px' },
  '.cm-completionInfo': { padding: '8px 12px', maxWidth: '340px', fontFamily: 'var(--sans)', fontSize: '12.5px' },
  '.cm-hover': { padding: '8px 12px', maxWidth: '480px', fontFamily: 'var(--sans)', fontSize: '12.5px' },
  '.cm-hover p': { margin: '0 0 6px', whiteSpace: 'pre-wrap' },
  '.cm-hover code': { fontFamily: 'var(--mono)', fontSize: '12px' },
  '.cm-diagnostic': { fontFamily: 'var(--sans)', fontSize: '12.5px', padding: '6px 10px', whiteSpace: 'pre-wrap' },
  '.cm-diagnosticAction': { backgroundColor: 'var(--accent)', color: 'var(--on-accent)', borderRadius: '4px' },
  '.cm-panels': { backgroundColor: 'var(--bg-side)', color: 'var(--text)', fontFamily: 'var(--sans)' },
});

const colours = HighlightStyle.define([
  { tag: [tags.definition(tags.propertyName), tags.propertyName], color: 'var(--accent)' },
  { tag: [tags.string, tags.content], color: 'var(--text)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--blue)' },
  { tag: tags.comment, color: 'var(--text-3)', fontStyle: 'italic' },
  { tag: [tags.punctuation, tags.separator, tags.squareBracket, tags.brace], color: 'var(--text-2)' },
  { tag: tags.meta, color: 'var(--violet)' },
]);

export const editorLook = [theme, syntaxHighlighting(colours)];
