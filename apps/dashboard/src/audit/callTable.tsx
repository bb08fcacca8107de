/** Calls of runs, with filters and an export as CSV. */
import type { AuditCall } from '@baton/api/client';
import { durationText } from '@baton/primitives';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link, useLocation } from 'wouter';

import { client } from '../api/client.ts';
import { Button } from '../parts/button.tsx';
import { CallerText } from '../parts/callerText.tsx';
import { NameText } from '../parts/nameText.tsx';
import { Empty, ProblemNote, Skeleton } from '../parts/notes.tsx';
import { saveFile } from '../parts/saveFile.ts';
import { StatusText } from '../parts/statusMark.tsx';
import { Table } from '../parts/table.tsx';
import { InstantText } from '../parts/timeText.tsx';
import { type FilteredProps, AuditFilters, emptyHint, filtersIn } from './auditFilters.tsx';
import { useNamesOfCalls } from './knownNames.ts';

const shownMax = 200;

const labels = {
  server: 'Server',
  tool: 'Tool',
  workflow: 'Workflow',
  effect: 'Effect',
  outcome: 'Outcome',
  by: 'Who',
  from: 'From',
  to: 'To',
};

const noFilters = {};

const useCalls = (query: Readonly<Record<string, string>>) =>
  useQuery({
    queryKey: ['audit calls', query],
    queryFn: async ({ signal }) => {
      const calls = await Array.fromAsync(client.audit.calls(query, { signal, limit: shownMax }));
      // The server lists them run by run.
      return calls.toSorted((one, other) => Date.parse(other.at) - Date.parse(one.at));
    },
    placeholderData: keepPreviousData,
  });

export function CallTable(filters: FilteredProps) {
  const query = filtersIn(filters.search, labels);
  const isFiltered = Object.keys(query).length > 0;
  const { data, error, isPending, isPlaceholderData } = useCalls(query);
  const { data: newest } = useCalls(noFilters);
  const known = useNamesOfCalls(newest, filters.search.get('server'));
  return (
    <div className="body flush" aria-busy={isPlaceholderData}>
      <AuditFilters labels={labels} known={known} {...filters}>
        <Button
          look="quiet"
          disabled={data === undefined || data.length === 0 || isPlaceholderData}
          onClick={() => saveCsv(data ?? [])}
        >
          Save as CSV
        </Button>
      </AuditFilters>
      <ProblemNote error={error} />
      {isPending && <Skeleton />}
      {data?.length === 0 && (
        <Empty
          title={isFiltered ? 'No call fits these filters' : 'No tool was called yet'}
          command="npx baton audit calls"
        >
          {isFiltered ? emptyHint : 'Each call that a run makes appears here.'}
        </Empty>
      )}
      {data !== undefined && data.length > 0 && (
        <>
          <Table
            heads={[
              'When',
              'Tool',
              'Outcome',
              ['Effect', 'wide-only'],
              ['Who', 'wide-only very-wide-only'],
              ['Run', 'wide-only'],
              ['Arguments', 'wide-only very-wide-only'],
              ['Took', 'wide-only right'],
            ]}
          >
            {data.map((call) => (
              <CallRow key={`${call.run} ${call.step} ${call.attempt}`} call={call} />
            ))}
          </Table>
          {data.length === shownMax && (
            <p className="dim more row">
              {shownMax} calls of the newest runs; there are more. Narrow the filters, or use baton audit calls.
            </p>
          )}
        </>
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
        <span className="cut" title={workflow}>
          {workflow}
          {version !== undefined && `@${version}`}
        </span>
        <span className="cut" title={step}>
          {step}
        </span>
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

/** A cell of CSV (RFC 4180). An apostrophe keeps a spreadsheet from reading text as a formula. */
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
  saveFile('calls.csv', 'text/csv', [head, ...lines].map((line) => line.join(',')).join('\r\n'));
}
