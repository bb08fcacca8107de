/** Opens links to a server within Baton. */
import type { BuiltinServerConfig } from '@baton/protocol';
import type { KeyValues, KnownSecrets } from '@baton/runner';

import type { HttpClients } from '../http/serverHttpClient.ts';
import type { Connector } from '../link/link.ts';
import { RedactedLink } from '../link/redactedLink.ts';
import { serverLabelOf } from '../link/serverLabel.ts';
import { BuiltinLink } from './builtinLink.ts';
import { HttpCalls } from './httpCalls.ts';
import { KvCalls } from './kvCalls.ts';

interface BuiltinConnectorOptions {
  readonly clients: HttpClients;
  readonly known: KnownSecrets;
  /** Of Baton. */
  readonly version: string;
  /** See `KvCalls`. */
  readonly keyValues: KeyValues | undefined;
}

export function builtinConnector(
  config: BuiltinServerConfig,
  { clients, known, version, keyValues }: BuiltinConnectorOptions,
): Connector {
  const { name: server, builtin: kind, policy } = config;
  const { hosts = [] } = policy;
  const peer = serverLabelOf(config, known);
  return {
    kind: 'builtin',
    connect: () => {
      const calls = kind === 'kv' ? new KvCalls({ server, keyValues }) : new HttpCalls({ server, hosts, clients });
      return Promise.resolve(new RedactedLink(new BuiltinLink({ peer, version, kind, calls }), known));
    },
  };
}
