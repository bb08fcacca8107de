/** What an expression would give here: on the values that the expressions of this step saw. */
import { useMutation } from '@tanstack/react-query';
import { Play } from 'lucide-react';
import { useState } from 'react';

import { client } from '../api/client.ts';
import { Button } from '../parts/button.tsx';
import { ProblemNote } from '../parts/notes.tsx';
import { ValueView } from '../parts/valueView.tsx';
import type { RunMoment } from './fold.ts';

interface TryTabProps {
  readonly moment: RunMoment;
  readonly path: string;
}

export function TryTab({ moment: { run, seq }, path }: TryTabProps) {
  const [text, setText] = useState('');
  const expression = text.trim();
  const evaluate = useMutation({
    mutationFn: () => client.runs.evaluate(run.id, { expression, step: path, after: seq }),
  });
  const example = path.includes('/') ? 'inputs' : `steps.${path}.output`;
  return (
    <form
      className="col"
      onSubmit={(event) => {
        event.preventDefault();
        if (expression !== '') evaluate.mutate();
      }}
    >
      <label className="field">
        <span className="label">Expression</span>
        <textarea
          className="input mono"
          rows={3}
          spellCheck={false}
          placeholder={example}
          value={text}
          onChange={({ target }) => setText(target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && !event.shiftKey) {
              event.preventDefault();
              event.currentTarget.form?.requestSubmit();
            }
          }}
        />
        <span className="small dim">
          Bare, or a text with {'${{ … }}'}. It sees the values as they were when the step was over; secrets are masked.
        </span>
      </label>
      <div className="row">
        <Button type="submit" icon={<Play size={13} />} disabled={expression === ''} isBusy={evaluate.isPending}>
          Evaluate
        </Button>
      </div>
      <ProblemNote error={evaluate.error} />
      <div aria-live="polite">
        {evaluate.data !== undefined && <ValueView runId={run.id} value={{ json: evaluate.data.value }} />}
      </div>
    </form>
  );
}
