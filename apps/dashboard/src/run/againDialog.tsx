/** The dialog before a retry or rerun: choice of the version, and a preview of repeated calls. */
import { countText } from '@baton/engine';
import type { ReactNode } from 'react';

import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { ProblemNote } from '../parts/notes.tsx';
import { AgainPreview, type NamedRun, VersionChoice, writesIn } from './againPreview.tsx';
import type { useAgain } from './useAgain.ts';

interface AgainDialogProps {
  readonly run: NamedRun;
  /** Also the label of the button. */
  readonly title: string;
  /** Undefined: the version of the run. */
  readonly version: number | undefined;
  readonly onVersion: (version: number | undefined) => void;
  readonly again: ReturnType<typeof useAgain>;
  readonly isHeld?: boolean;
  readonly onClose: () => void;
  /** Further fields. */
  readonly children?: ReactNode;
}

export function AgainDialog(props: AgainDialogProps) {
  const { run, title, version, onVersion, again, isHeld = false, onClose, children } = props;
  const { preview, start } = again;
  const writes = writesIn(preview.data);
  return (
    <Dialog
      title={title}
      onClose={onClose}
      isWide
      footer={
        <Button
          look="main"
          isBusy={start.isPending}
          disabled={preview.data === undefined || preview.isPlaceholderData || preview.error !== null || isHeld}
          onClick={() => start.mutate()}
        >
          {writes === 0 ? title : `${title}, and make ${countText(writes, 'write')} again`}
        </Button>
      }
    >
      <VersionChoice run={run} chosen={version} onChoose={onVersion} />
      {children}
      <ProblemNote error={preview.error ?? start.error} />
      {preview.data !== undefined && <AgainPreview {...preview.data} />}
    </Dialog>
  );
}
