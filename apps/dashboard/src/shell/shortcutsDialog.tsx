/** The keys that the page knows, under `?`. */
import { Fragment } from 'react';

import { Dialog } from '../parts/dialog.tsx';

const shortcuts = [
  ['Ctrl K', 'find a page, a workflow or a run'],
  ['j', 'the next row of a list'],
  ['k', 'the row before'],
  ['Enter', 'open the row'],
  ['x', 'choose the run of the row'],
  ['Esc', 'close a step, a dialog or the menu'],
  ['← →', 'the tab beside; on the slider of a run, one event'],
  ['?', 'these keys'],
] as const;

export function ShortcutsDialog({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog title="Keys" onClose={onClose}>
      <dl className="facts shortcuts">
        {shortcuts.map(([key, does]) => (
          <Fragment key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{does}</dd>
          </Fragment>
        ))}
      </dl>
    </Dialog>
  );
}
