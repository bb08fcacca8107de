/** A step that is dragged from the drawer of tools into the text. */
import { EditorView } from '@codemirror/view';

/** Media type of its text. */
export const stepType = 'application/x-baton-step';

/** It goes beneath the line that it is dropped on. */
export const droppedStep = EditorView.domEventHandlers({
  dragover: (event) => {
    // Editable text takes nothing but text by itself.
    if (event.dataTransfer?.types.includes(stepType) === true) event.preventDefault();
  },
  drop: (event, view) => {
    const step = event.dataTransfer?.getData(stepType) ?? '';
    if (step === '') return false;
    event.preventDefault();
    const at = view.posAtCoords({ x: event.clientX, y: event.clientY }) ?? view.state.doc.length;
    const { to } = view.state.doc.lineAt(at);
    view.dispatch({
      changes: { from: to, insert: `\n${step}` },
      selection: { anchor: to + 1 + step.length },
      scrollIntoView: true,
    });
    view.focus();
    return true;
  },
});
