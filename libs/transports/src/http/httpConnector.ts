/** Opens links to a server that is an address. */
import { FailureError } from '@baton/engine';
import type { HttpServerConfig } from '@baton/protocol';
import { urlProblem } from '@baton/protocol';

import type { Grant } from '../oauth/grant.ts';
import { peerOf } from '../server/serverLabel.ts';
import type { Connector, Link } from '../session/link.ts';
import { HttpLink } from './httpLink.ts';
import { PlainLink } from './plainLink.ts';
import type { Fetcher } from './serverEgress.ts';
import { SseLink } from './sseLink.ts';

const links = { http: HttpLink, sse: SseLink, 'http-plain': PlainLink } as const;

/** `shown`: the same configuration with its references unresolved, for messages. */
export function httpConnector(
  config: HttpServerConfig,
  shown: HttpServerConfig,
  egress: Fetcher,
  grant?: Grant,
): Connector {
  const peer = peerOf(shown);
  return {
    kind: config.type,
    connect: (): Promise<Link> => {
      const problem = urlProblem(config.url);
      if (problem !== undefined) return Promise.reject(unopenable(peer, problem));
      const { url, headers } = config;
      return Promise.resolve(new links[config.type]({ peer, url: new URL(url), headers, grant }, egress));
    },
  };
}

const unopenable = (peer: string, why: string): FailureError =>
  new FailureError('server-unreachable', `The server ${peer} cannot be reached: ${why}`, {
    delivery: 'unsent',
    details: { peer },
  });
