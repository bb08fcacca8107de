/** The dialog before a retry or rerun: choice of the version, and a preview of repeated calls. */
import type { RerunResult } from '@baton/api/client';
import { countText } from '@baton/engine';
import type { UseMutationResult, UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';

import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { ProblemNote } from '../parts/notes.tsx';
import { AgainPreview, VersionChoice, writesIn } from './againPreview.tsx';
import type { RunMoment } from './fold.ts';

interface AgainDialogProps extends Pick<RunMoment, 'run'> {
  /** Also the label of the button. */
  readonly title: string;
  /** Undefined: the version of the run. */
  readonly version: number | undefined;
  readonly onVersion: (version: number | undefined) => void;
  readonly preview: Pick<UseQueryResult<RerunResult>, 'data' | 'error'>;
  readonly start: Pick<UseMutationResult<RerunResult, Error, void>, 'mutate' | 'isPending' | 'error'>;
  readonly isHeld?: boolean;
  readonly onClose: () => void;
  /** Further fields. */
  readonly children?: ReactNode;
}

export function AgainDialog(props: AgainDialogProps) {
  const { run, title, version, onVersion, preview, start, isHeld = false, onClose, children } = props;
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
          disabled={preview.data === undefined || isHeld}
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
