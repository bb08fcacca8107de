/** Opens the sessions of a process with the configured servers, and what is measured of them. */
import { type Metrics, ownerMark, type Service } from '@baton/boot';
import { secretLookup } from '@baton/store';
import { type Servers, type ServersOptions, openServers, serverMetrics } from '@baton/transports';

import type { Installation } from './openInstallation.ts';

export interface SessionParts extends Pick<
  ServersOptions,
  'environment' | 'version' | 'handlers' | 'oauth' | 'devices' | 'onCatalogueChanged'
> {
  readonly metrics: Metrics;
}

/** Follows changes of the servers file. */
export function openSessions(
  service: Service,
  { store, clock, vault }: Pick<Installation, 'store' | 'clock' | 'vault'>,
  { metrics, ...parts }: SessionParts,
): Servers {
  const { settings, known, lifecycle, servers } = service;
  const sessionMetrics = serverMetrics(metrics);
  const sessions = openServers(servers.config, {
    ...parts,
    clock,
    known,
    secret: secretLookup(store, vault),
    root: servers.root,
    addresses: { loopback: true, networks: settings.BATON_SERVER_NETWORKS },
    mark: ownerMark(settings.BATON_DATA),
    measures: sessionMetrics.measures,
  });
  lifecycle.onStop('sessions', () => sessions.close());
  service.onServersChanged(() => sessions.reconfigure(servers.config.servers));
  sessionMetrics.watch(() => sessions.status());
  return sessions;
}
