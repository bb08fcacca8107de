/** Inserts a step: one that is dragged from the drawer of tools, or chosen there. */
import { EditorView } from '@codemirror/view';

import { type InsertedStep, placeOfLastStep, placeOfStep } from './placeOfStep.ts';

/** Media type of the step's text. */
export const stepType = 'application/x-baton-step';

export const droppedStep = EditorView.domEventHandlers({
  dragover: (event) => {
    // By default, editable text accepts only plain text.
    if (event.dataTransfer?.types.includes(stepType) === true) event.preventDefault();
  },
  drop: (event, view) => {
    const step = event.dataTransfer?.getData(stepType) ?? '';
    if (step === '') return false;
    event.preventDefault();
    if (view.state.readOnly) return true;
    const at = view.posAtCoords({ x: event.clientX, y: event.clientY });
    const { bottom } = view.lineBlockAt(view.state.doc.length);
    // Below the text, the position would be its last line, which may be in the body of a loop.
    if (at === null || event.clientY > view.documentTop + bottom) appendStep(view, step);
    else insertStep(view, placeOfStep(linesOf(view), view.state.doc.lineAt(at).number - 1, step));
    return true;
  },
});

/** At the end of the steps. */
export const appendStep = (view: EditorView, step: string): void =>
  insertStep(view, placeOfLastStep(linesOf(view), step));

const linesOf = ({ state }: EditorView): string[] => state.doc.toString().split('\n');

/** The cursor stands behind it. */
function insertStep(view: EditorView, { line, text }: InsertedStep): void {
  const { doc } = view.state;
  const { to: from } = doc.line(Math.min(line, doc.lines));
  view.dispatch({
    changes: { from, insert: `\n${text}` },
    selection: { anchor: from + 1 + text.length },
    scrollIntoView: true,
  });
  view.focus();
}
