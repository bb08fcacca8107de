/** A form that evaluates an expression with the values of a run. */
import { defined } from '@baton/primitives';
import { useMutation } from '@tanstack/react-query';
import { Play } from 'lucide-react';
import { useState } from 'react';

import { client } from '../api/client.ts';
import { Button } from './button.tsx';
import { ProblemNote } from './notes.tsx';
import { ValueView } from './valueView.tsx';

interface EvaluateFormProps {
  readonly run: string;
  /** Path of the step whose values the expression sees; absent: those that the outputs of the workflow see. */
  readonly step?: string;
  /** Position in the journal; absent: its end. */
  readonly after?: number;
  /** The initial text. */
  readonly first?: string;
  readonly example: string;
}

export function EvaluateForm({ run, step, after, first = '', example }: EvaluateFormProps) {
  const [text, setText] = useState(first);
  const expression = text.trim();
  const evaluate = useMutation({
    mutationFn: () =>
      client.runs.evaluate(run, {
        expression,
        ...defined({ step, after }),
      }),
  });
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
        {evaluate.data !== undefined && <ValueView runId={run} value={{ json: evaluate.data.value }} />}
      </div>
    </form>
  );
}
