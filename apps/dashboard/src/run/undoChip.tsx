import { type UndoEnd, undoWords } from '@baton/engine';

const chipWords: Readonly<Record<UndoEnd, string>> = {
  undone: 'undone',
  failed: 'undo failed',
  unknown: 'undo unknown',
  skipped: 'undo skipped',
};

/** What became of the `undo` of a step. */
export const UndoChip = ({ end, at }: { readonly end: UndoEnd; readonly at?: string }) => (
  <span className={at === undefined ? 'chip' : `${at} chip`} title={`It ${undoWords[end]}.`}>
    {chipWords[end]}
  </span>
);
