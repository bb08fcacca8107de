import { type LifecycleBranch, openStatusListener } from '@baton/boot';

import type { Installation } from './openInstallation.ts';

/** The address for scrapers and probes, where one is configured. Rejects with `StartError`. */
export async function openStatus(
  { service, metrics, readiness }: Installation,
  lifecycle: LifecycleBranch,
): Promise<{ readonly metrics?: string }> {
  const { BATON_METRICS_PORT: port, BATON_METRICS_HOST: host } = service.settings;
  if (port === undefined) return {};
  const listener = await openStatusListener({ host, port, metrics, ready: () => readiness.ask() });
  lifecycle.closing('metrics', listener);
  return { metrics: `${listener.url}/metrics` };
}
