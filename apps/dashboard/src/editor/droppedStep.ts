/** Inserts a step that is dragged from the tool drawer into the text. */
import { EditorView } from '@codemirror/view';

/** Media type of the step's text. */
export const stepType = 'application/x-baton-step';

/** Inserts the step below the line under the pointer. */
export const droppedStep = EditorView.domEventHandlers({
  dragover: (event) => {
    // By default, editable text accepts only plain text.
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
