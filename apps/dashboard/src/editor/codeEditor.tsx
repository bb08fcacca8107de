/**
 * CodeMirror in a shadow root: there it adds its styles as constructed sheets, which the strict content policy allows.
 * In the document it would add style elements, which the policy forbids.
 */
import type { EditorView } from '@codemirror/view';
import { useEffect, useLayoutEffect, useRef } from 'react';

import type { Findings, KnownWorld } from './checkerCalls.ts';
import { appendStep } from './droppedStep.ts';
import { expressionAt, makeEditor, replaceAll, showFindings, showSpan } from './makeEditor.ts';

export interface EditorHandle {
  readonly show: (span: readonly [number, number]) => void;
  readonly replace: (text: string) => void;
  readonly insertStep: (step: string) => void;
  readonly expression: () => string | undefined;
}

interface CodeEditorProps {
  readonly text: string;
  readonly known: KnownWorld;
  readonly findings: Findings | undefined;
  /** Called with each change, before it is drawn. */
  readonly onTyped: (text: string) => void;
  readonly onChange: (text: string) => void;
  readonly onSave: () => void;
  readonly handle: React.RefObject<EditorHandle | null>;
}

export function CodeEditor({ text, known, findings, onTyped, onChange, onSave, handle }: CodeEditorProps) {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const now = useRef({ known, onTyped, onChange, onSave });
  now.current = { known, onTyped, onChange, onSave };
  const first = useRef(text);
  useEffect(() => {
    const host = place.current;
    if (host === null) return;
    const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
    const made = makeEditor(root, first.current, {
      known: () => now.current.known,
      onTyped: (next) => now.current.onTyped(next),
      onChange: (next) => now.current.onChange(next),
      onSave: () => now.current.onSave(),
    });
    view.current = made;
    handle.current = {
      show: (span) => showSpan(made, span),
      replace: (next) => replaceAll(made, next),
      insertStep: (step) => appendStep(made, step),
      expression: () => expressionAt(made),
    };
    return () => made.destroy();
  }, [handle]);
  // In the same frame as the list of findings.
  useLayoutEffect(() => {
    if (view.current !== undefined && findings !== undefined) showFindings(view.current, findings);
  }, [findings]);
  return <div ref={place} className="code-editor" />;
}
