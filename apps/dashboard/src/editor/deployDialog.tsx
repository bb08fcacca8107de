/** Shows the findings and the differences, and deploys the text. */
import { nameInPath, scheduleChangeText } from '@baton/api/client';
import { countText } from '@baton/engine';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useLocation } from 'wouter';

import { client } from '../api/client.ts';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { DiffView } from '../parts/diffView.tsx';
import { LineWarnings, ProblemNote } from '../parts/notes.tsx';
import { toast } from '../parts/toast.tsx';
import type { Findings } from './checkerCalls.ts';
import { keepDraft } from './drafts.ts';

interface DeployDialogProps {
  readonly id: string | undefined;
  readonly before: string;
  readonly text: string;
  readonly findings: Findings;
  readonly onClose: () => void;
}

export function DeployDialog({ id, before, text, findings, onClose }: DeployDialogProps) {
  const [, go] = useLocation();
  const cache = useQueryClient();
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => client.workflows.deploy(text),
    onSuccess: ({ id: deployed, version, schedules }) => {
      keepDraft(id ?? '', undefined);
      void cache.invalidateQueries({ queryKey: ['workflow', deployed] });
      void cache.invalidateQueries({ queryKey: ['workflows'] });
      toast(`${deployed}@${version} is deployed.`);
      for (const one of schedules) {
        const changed = scheduleChangeText(one);
        if (changed !== undefined) toast(changed);
      }
      go(`/workflows/${nameInPath(deployed)}`);
    },
  });
  const warnings = findings.diagnostics.filter(({ severity }) => severity === 'warning');
  const errors = findings.diagnostics.length - warnings.length;
  return (
    <Dialog
      title={id === undefined ? 'Deploy' : `Deploy ${id}`}
      onClose={onClose}
      isWide
      footer={
        <Button look="main" isBusy={isPending} disabled={errors > 0} onClick={() => mutate()}>
          Deploy
        </Button>
      }
    >
      {errors > 0 && <ProblemNote error={new Error(`The text has ${countText(errors, 'error')} to correct first.`)} />}
      <LineWarnings findings={warnings} />
      <ProblemNote error={error} />
      <DiffView before={before} after={text} />
    </Dialog>
  );
}
