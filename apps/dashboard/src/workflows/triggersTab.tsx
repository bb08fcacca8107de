/** What starts a workflow: schedules with their next instants, webhooks with their last deliveries. */
import type { Hook } from '@baton/api/client';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';

import { apiAddress, client } from '../api/client.ts';
import { useHooks } from '../api/figures.ts';
import { CopyButton } from '../parts/copyButton.tsx';
import { Empty } from '../parts/notes.tsx';
import { TimeText } from '../parts/timeText.tsx';

const looks: Readonly<Record<Hook['deliveries'][number]['outcome'], string>> = {
  started: 'chip good',
  repeated: 'chip',
  ignored: 'chip',
  refused: 'chip bad',
};

export function TriggersTab({ id }: { readonly id: string }) {
  const { data: schedules } = useQuery({
    queryKey: ['schedules', id],
    queryFn: ({ signal }) => client.schedules.list({ workflow: id }, { signal }),
  });
  const { data: hooks } = useHooks(id);
  if (schedules?.data.length === 0 && (hooks === undefined || hooks.data.length === 0)) {
    return (
      <Empty title="Nothing starts it by itself" command={`npx baton run ${id}`}>
        A schedule, a webhook or a tool under <code>on:</code> would. It can be run from here, over REST and by an MCP
        client.
      </Empty>
    );
  }
  return (
    <div className="body">
      {(schedules?.data ?? []).map(({ id: schedule, cron, timezone, next }) => (
        <section key={schedule} className="section">
          <h2>
            Schedule <code className="chip">{cron}</code> <span className="dim">{timezone}</span>
          </h2>
          <p className="dim">
            Next: {next.length === 0 ? 'paused' : <TimeText at={next[0]} />}.{' '}
            <Link href="/schedules">All schedules</Link>
          </p>
        </section>
      ))}
      {(hooks?.data ?? []).map(({ hook, path, scheme, secret, deliveries }) => (
        <section key={hook} className="section">
          <h2>Webhook {hook}</h2>
          <p className="row wrap">
            <code className="chip">{`${apiAddress()}${path}`}</code>
            <CopyButton text={`${apiAddress()}${path}`} label="Copy the address" />
            <span className="dim small">
              signed as {scheme} with the secret {secret}
            </span>
          </p>
          {deliveries.length === 0 && <p className="dim">No delivery came in the last 7 days.</p>}
          <ul className="col">
            {deliveries.map(({ at, outcome, reason, runId }, index) => (
              <li key={`${at} ${index}`} className="row wrap">
                <span className={looks[outcome]}>{outcome}</span>
                <TimeText at={at} />
                {runId !== undefined && <Link href={`/runs/${runId}`}>its run</Link>}
                <span className="dim">{reason}</span>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}
