/**
 * Metrics of sessions and calls: sessions by state, waiting calls, time to open, calls and errors by class. Per server;
 * all devices count as one server, because others choose their names.
 */
import type { ServerStatus } from '@baton/protocol';

import type { ServerMetricsPort } from '../session/serverMetricsPort.ts';

type Labels<Name extends string> = Readonly<Record<Name, string>>;

/** Where metrics go; libs/boot has one for Prometheus. */
export interface MetricsRegistry {
  counter<Name extends string = never>(
    name: string,
    help: string,
    labels?: readonly Name[],
  ): (labels: Labels<Name>, by?: number) => void;
  /** Observed in milliseconds. */
  seconds<Name extends string = never>(
    name: string,
    help: string,
    labels?: readonly Name[],
  ): (labels: Labels<Name>, ms: number) => void;
  gauge<Name extends string>(
    name: string,
    help: string,
    labels: readonly Name[],
    read: () => Iterable<readonly [Labels<Name>, number]>,
  ): void;
}

export interface ServerMetrics {
  /** The port through which sessions report. */
  readonly measures: ServerMetricsPort;
  /** Called at each scrape. */
  watch(status: () => readonly ServerStatus[]): void;
}

export function serverMetrics(meters: MetricsRegistry): ServerMetrics {
  const calls = meters.counter(
    'baton_mcp_calls_total',
    'Requests to MCP servers and how they ended: `ok`, or the code of the failure.',
    ['server', 'method', 'outcome'],
  );
  const callSeconds = meters.seconds('baton_mcp_call_seconds', 'Time from sending a request to its answer.', [
    'server',
    'method',
  ]);
  const waitSeconds = meters.seconds('baton_mcp_session_wait_seconds', 'How long calls waited for a free session.', [
    'server',
  ]);
  const openSeconds = meters.seconds(
    'baton_mcp_session_open_seconds',
    'Time to start a session, or to fail to: `ok`, or the code of the failure.',
    ['server', 'outcome'],
  );
  const closed = meters.counter('baton_mcp_sessions_closed_total', 'Sessions that ended, for any reason.', ['server']);
  return {
    measures: {
      called(server, method, outcome, ms) {
        calls({ server, method, outcome });
        callSeconds({ server, method }, ms);
      },
      waited: (server, ms) => waitSeconds({ server }, ms),
      opened: (server, outcome, ms) => openSeconds({ server, outcome }, ms),
      closed: (server) => closed({ server }),
    },
    watch: (status) => watch(meters, status),
  };
}

function watch(meters: MetricsRegistry, status: () => readonly ServerStatus[]): void {
  meters.gauge(
    'baton_mcp_sessions',
    'Sessions by state: idle, busy, suspect (waiting for the answer to a ping), opening.',
    ['server', 'state'],
    () =>
      summed(status(), ({ sessions: { open, busy, suspect, opening } }) => ({
        idle: open - busy - suspect,
        busy,
        suspect,
        opening,
      })).flatMap(([server, states]) =>
        Object.entries(states).map(([state, count]) => [{ server, state }, count] as const),
      ),
  );
  const perServer = (name: string, help: string, read: (one: ServerStatus) => number): void =>
    meters.gauge(name, help, ['server'], () =>
      summed(status(), (one) => ({ count: read(one) })).map(([server, { count }]) => [{ server }, count ?? 0] as const),
    );
  perServer('baton_mcp_calls_in_flight', 'Calls under way.', ({ sessions }) => sessions.inFlight);
  perServer('baton_mcp_waiting', 'Calls that wait for a session.', ({ waiting }) => waiting);
  perServer('baton_mcp_resting', '1 while calls to a server are paused because it failed repeatedly.', ({ state }) =>
    state === 'resting' ? 1 : 0,
  );
}

/** Sums the values by server; all devices count as one. */
function summed(
  all: readonly ServerStatus[],
  read: (one: ServerStatus) => Readonly<Record<string, number>>,
): readonly (readonly [string, Readonly<Record<string, number>>])[] {
  const sums = new Map<string, Record<string, number>>();
  for (const one of all) {
    const server = one.type === 'device' ? 'devices' : one.name;
    const sum = sums.get(server) ?? {};
    for (const [key, value] of Object.entries(read(one))) sum[key] = (sum[key] ?? 0) + value;
    sums.set(server, sum);
  }
  return [...sums];
}
