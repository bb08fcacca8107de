/** What every process says of itself: which build it is, the parts of `/readyz`, and its connections to Postgres. */
import type { Metrics, Readiness } from '@baton/boot';
import type { Store } from '@baton/store';

export interface MeasuredProcess {
  /** `1.2.3+58bd41c3a1b2`: the version, and the commit of a build. */
  readonly version: string;
  readonly readiness: Pick<Readiness, 'ask'>;
  readonly store: Pick<Store, 'poolUse'>;
}

export function installationMetrics(metrics: Metrics, { version, readiness, store }: MeasuredProcess): void {
  const [release = '', commit = ''] = version.split('+');
  const build = [{ version: release, commit }, 1] as const;
  metrics.gauge(
    'baton_build_info',
    'Always 1: the version and the commit of this process.',
    ['version', 'commit'],
    () => [build],
  );
  metrics.gauge(
    'baton_ready',
    '1 for each part of /readyz that is ok; `process`: /readyz answers 200.',
    ['part'],
    async () => {
      const { status, parts } = await readiness.ask();
      const each = Object.entries(parts).map(([part, state]) => [{ part }, state.status === 'ok' ? 1 : 0] as const);
      return [[{ part: 'process' }, status === 'down' ? 0 : 1], ...each];
    },
  );
  metrics.gauge(
    'baton_postgres_connections',
    'Connections of this process, and callers that wait for one.',
    ['pool', 'state'],
    () =>
      store
        .poolUse()
        .flatMap(({ pool, busy, idle, waiting }) =>
          Object.entries({ busy, idle, waiting }).map(([state, count]) => [{ pool, state }, count] as const),
        ),
  );
}
