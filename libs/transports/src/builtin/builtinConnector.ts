/** Opens links to a server within Baton. */
import type { BuiltinServerConfig } from '@baton/protocol';
import type { KnownSecrets } from '@baton/runner';

import type { HttpClients } from '../http/serverHttpClient.ts';
import type { Connector } from '../link/link.ts';
import { RedactedLink } from '../link/redactedLink.ts';
import { serverLabelOf } from '../link/serverLabel.ts';
import { BuiltinLink } from './builtinLink.ts';
import { HttpCalls } from './httpCalls.ts';

interface BuiltinConnectorOptions {
  readonly clients: HttpClients;
  readonly known: KnownSecrets;
  /** Of Baton. */
  readonly version: string;
}

export function builtinConnector(
  config: BuiltinServerConfig,
  { clients, known, version }: BuiltinConnectorOptions,
): Connector {
  const { hosts = [] } = config.policy;
  const peer = serverLabelOf(config, known);
  return {
    kind: 'builtin',
    connect: () => {
      const calls = new HttpCalls({ server: config.name, hosts, clients });
      return Promise.resolve(new RedactedLink(new BuiltinLink({ peer, version, calls }), known));
    },
  };
}
