/** The sessions, calls and breaker of a server in each process of Baton, and its latest calls. */
import type { ServerStats } from '@baton/api/client';
import { countText } from '@baton/engine';
import { durationText } from '@baton/primitives';

import { useServerStats } from '../api/figures.ts';
import { Table } from '../parts/table.tsx';
import { msOf, useNow } from '../parts/time.ts';
import { TimeText } from '../parts/timeText.tsx';

export function ServerProcesses({ name }: { readonly name: string }) {
  const { data } = useServerStats(name);
  if (data === undefined) return null;
  const latency = data.tools.filter(({ p50Ms }) => p50Ms !== undefined);
  return (
    <>
      {data.processes.length > 0 && (
        <section className="section">
          <h2>Processes</h2>
          <Table
            heads={['Process', 'State', ['Sessions', 'wide-only'], ['Calls', 'wide-only'], ['Breaker', 'wide-only']]}
          >
            {data.processes.map((process) => (
              <ProcessRow key={process.process} {...process} />
            ))}
          </Table>
        </section>
      )}
      {latency.length > 0 && (
        <section className="section">
          <h2>Latest calls</h2>
          <LatencyTable tools={latency} />
        </section>
      )}
    </>
  );
}

type Process = ServerStats['processes'][number];

function ProcessRow({ process, state, sessions, waiting, breaker, stderr }: Process) {
  return (
    <tr>
      <td className="break">
        <code>{process}</code>
        <div className="narrow-only small dim">
          {sessions.open} open, {sessions.busy} busy; {sessions.inFlight} in flight, {waiting} waiting
        </div>
        {stderr !== undefined && stderr !== '' && (
          <details>
            <summary className="dim small">What it last wrote to stderr</summary>
            <pre className="code">{stderr}</pre>
          </details>
        )}
      </td>
      <td>{state}</td>
      <td className="wide-only num">
        {sessions.open} open, {sessions.busy} busy
      </td>
      <td className="wide-only num">
        {sessions.inFlight} in flight, {waiting} waiting
      </td>
      <td className="wide-only dim">
        <BreakerText {...breaker} />
      </td>
    </tr>
  );
}

/** The time of the next try is of interest until it is over. */
function BreakerText({ state, failures, until }: Process['breaker']) {
  const now = useNow();
  const untilMs = msOf(until);
  return (
    <>
      {state}
      {failures > 0 && ` after ${countText(failures, 'failure')}`}
      {untilMs !== undefined &&
        (untilMs > now ? (
          <>
            ; next try <TimeText at={untilMs} />
          </>
        ) : (
          '; the next call tries again'
        ))}
    </>
  );
}

function LatencyTable({ tools }: { readonly tools: ServerStats['tools'] }) {
  return (
    <Table heads={['What', ['Calls', 'right'], ['p50', 'right'], ['p95', 'right'], ['Errors', 'wide-only']]}>
      {tools.map(({ tool, calls, p50Ms = 0, p95Ms = 0, errors }) => (
        <tr key={tool}>
          <td>
            <code className="breaks">{tool}</code>
          </td>
          <td className="right num">{calls.toLocaleString('en')}</td>
          <td className="right num">{durationText(p50Ms)}</td>
          <td className="right num">{durationText(p95Ms)}</td>
          <td className="wide-only">
            {Object.entries(errors).map(([code, count]) => (
              <span key={code} className="chip bad">
                {count} {code}
              </span>
            ))}
          </td>
        </tr>
      ))}
    </Table>
  );
}
