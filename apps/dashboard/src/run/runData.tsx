import type { Run } from '@baton/engine';

import { ValueView } from '../parts/valueView.tsx';

export function RunData({ run }: { readonly run: Run }) {
  const { id, inputs, trigger } = run;
  const outputs = run.status === 'succeeded' ? run.outputs : undefined;
  return (
    <div className="body">
      <section className="section">
        <h2>Inputs</h2>
        <ValueView runId={id} value={inputs} expression="inputs" />
      </section>
      <section className="section">
        <h2>Outputs</h2>
        {outputs === undefined ? (
          <p className="dim">
            {run.status === 'failed' || run.status === 'cancelled'
              ? 'It did not succeed, and gave nothing.'
              : 'It has not ended yet, or gives nothing.'}
          </p>
        ) : (
          <ValueView runId={id} value={outputs} />
        )}
      </section>
      {trigger.detail !== undefined && (
        <section className="section">
          <h2>Trigger: {trigger.kind}</h2>
          <ValueView runId={id} value={{ json: trigger.detail }} />
        </section>
      )}
    </div>
  );
}
