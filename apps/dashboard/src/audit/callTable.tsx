/** Calls that runs made, with filters; as CSV for an auditor. */
import type { AuditCall } from '@baton/api/client';
import { durationText } from '@baton/primitives';
import { useQuery } from '@tanstack/react-query';
import { Link, useLocation } from 'wouter';

import { client } from '../api/client.ts';
import { Button } from '../parts/button.tsx';
import { CallerText } from '../parts/callerText.tsx';
import { NameText } from '../parts/nameText.tsx';
import { Empty, ProblemNote, Skeleton } from '../parts/notes.tsx';
import { StatusText } from '../parts/statusMark.tsx';
import { TextFilter } from '../parts/textFilter.tsx';
import { InstantText } from '../parts/timeText.tsx';

interface CallTableProps {
  readonly search: URLSearchParams;
  readonly onSet: (name: string, value: string) => void;
}

const names = ['server', 'tool', 'workflow', 'by', 'from', 'to'] as const;
const shownMax = 200;

const labels: Readonly<Record<(typeof names)[number], string>> = {
  server: 'Server',
  tool: 'Tool',
  workflow: 'Workflow',
  by: 'Who',
  from: 'From (date)',
  to: 'To (date)',
};

export function CallTable({ search, onSet }: CallTableProps) {
  const query = Object.fromEntries(names.flatMap((name) => (search.has(name) ? [[name, search.get(name) ?? '']] : [])));
  const isFiltered = Object.keys(query).length > 0;
  const { data, error, isPending } = useQuery({
    queryKey: ['audit calls', query],
    queryFn: ({ signal }) => Array.fromAsync(client.audit.calls(query, { signal, limit: shownMax })),
  });
  return (
    <div className="body flush">
      <div className="filters">
        {names.map((name) => (
          <TextFilter
            key={name}
            label={labels[name]}
            value={search.get(name) ?? ''}
            onSet={(value) => onSet(name, value)}
          />
        ))}
        <Button look="quiet" disabled={data === undefined || data.length === 0} onClick={() => saveCsv(data ?? [])}>
          Save as CSV
        </Button>
      </div>
      <ProblemNote error={error} />
      {isPending && <Skeleton />}
      {data?.length === 0 && (
        <Empty title={isFiltered ? 'No call fits' : 'No tool was called yet'} command="npx baton audit calls" />
      )}
      {data !== undefined && data.length > 0 && (
        <div className="table-wrap">
          <table className="table">
            <thead>
              <tr>
                <th>When</th>
                <th>Tool</th>
                <th>Outcome</th>
                <th className="wide-only">Effect</th>
                <th className="wide-only very-wide-only">Who</th>
                <th className="wide-only">Run</th>
                <th className="wide-only very-wide-only">Arguments</th>
                <th className="wide-only right">Took</th>
              </tr>
            </thead>
            <tbody>
              {data.map((call) => (
                <CallRow key={`${call.run} ${call.step} ${call.attempt}`} call={call} />
              ))}
            </tbody>
          </table>
          {data.length === shownMax && (
            <p className="dim more row">The newest {shownMax}. Narrow the filters, or use baton audit calls.</p>
          )}
        </div>
      )}
    </div>
  );
}

function CallRow({ call }: { readonly call: AuditCall }) {
  const { at, by, workflow, version, run, step, server, tool, verb, effect, outcome, durationMs } = call;
  const [, go] = useLocation();
  const address = `/runs/${run}?step=${encodeURIComponent(step)}`;
  return (
    <tr className="click" onClick={() => go(address)}>
      <td>
        <InstantText at={at} />
      </td>
      <td className="break tool-name">
        <Link href={address} className="plain name" onClick={(event) => event.stopPropagation()}>
          <NameText name={server === undefined ? verb : `${server}/${tool}`} />
        </Link>
      </td>
      <td>
        <StatusText status={outcome} />
      </td>
      <td className="wide-only">{effect !== undefined && <span className={`chip ${effect}`}>{effect}</span>}</td>
      <td className="wide-only very-wide-only dim">
        <CallerText by={by} />
      </td>
      <td className="wide-only dim cell-run">
        {workflow}
        {version !== undefined && `@${version}`} · {step}
      </td>
      <td className="wide-only very-wide-only cell-why">
        <code className="cut why" title={call.arguments.sha256}>
          {call.arguments.preview}
        </code>
      </td>
      <td className="wide-only right num">{durationMs === undefined ? '' : durationText(durationMs)}</td>
    </tr>
  );
}

/** RFC 4180. A cell that a spreadsheet would read as a formula is kept a text. */
const cell = (value: string): string => `"${(/^[=+\-@\t\r]/.test(value) ? `'${value}` : value).replaceAll('"', '""')}"`;

function saveCsv(calls: readonly AuditCall[]): void {
  const head = [
    'at',
    'by',
    'workflow',
    'version',
    'run',
    'step',
    'attempt',
    'server',
    'tool',
    'effect',
    'outcome',
    'ms',
  ];
  const lines = calls.map(
    ({ at, by, workflow, version, run, step, attempt, server, tool, effect, outcome, durationMs }) =>
      [at, by, workflow, version, run, step, attempt, server, tool, effect, outcome, durationMs].map((one) =>
        cell(String(one ?? '')),
      ),
  );
  const text = [head, ...lines].map((line) => line.join(',')).join('\r\n');
  const address = URL.createObjectURL(new Blob([text], { type: 'text/csv' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = 'calls.csv';
  link.click();
  URL.revokeObjectURL(address);
}
