/** Shows the call that a question is about, with its arguments, beside the last call of the same tool. */
import { type Question, askedCallOf, ProblemError } from '@baton/api/client';
import { splitTarget } from '@baton/language';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';

import { client } from '../api/client.ts';
import { useMay } from '../api/session.ts';
import { prettyJson } from '../parts/json.ts';
import { InstantText } from '../parts/timeText.tsx';
import { newestCall } from './newestCall.ts';

export function AskedCall({ question }: { readonly question: Question }) {
  const mayRead = useMay('runs:read', 'runs:write');
  const { data: call } = useQuery({
    queryKey: ['asked call', question.id],
    queryFn: ({ signal }) => askedCallOf(client, question, { signal }),
    enabled: mayRead,
    staleTime: Infinity,
  });
  if (call === undefined || call === null) return null;
  return (
    <div className="asked-call">
      <section className="section">
        <h2>
          The call: <code>{call.target}</code>
        </h2>
        <pre className="code">{prettyJson(call.arguments)}</pre>
      </section>
      <LastCall target={call.target} run={question.runId} step={question.step} />
    </div>
  );
}

const looked = 20;

function LastCall({ target, run, step }: { readonly target: string; readonly run: string; readonly step: string }) {
  const mayAudit = useMay('audit:read');
  const [server, tool] = splitTarget(target);
  const { data } = useQuery({
    queryKey: ['last call', target, run],
    queryFn: async ({ signal }) => {
      const query = { server, tool };
      try {
        const calls = await Array.fromAsync(client.audit.calls(query, { signal, limit: looked }));
        return newestCall(calls, { run, step }) ?? null;
      } catch (error) {
        if (error instanceof ProblemError) return null;
        throw error;
      }
    },
    enabled: mayAudit,
  });
  if (data === undefined || data === null) return null;
  return (
    <section className="section">
      <h2>
        The last call of it that succeeded, <InstantText at={data.at} />, in{' '}
        <Link href={`/runs/${data.run}?step=${encodeURIComponent(data.step)}`} className="inline">
          a run of {data.workflow}
        </Link>
      </h2>
      <pre className="code">{data.arguments.preview}</pre>
    </section>
  );
}
