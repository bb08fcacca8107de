/** Opens links to a server with an HTTP address. */
import { FailureError } from '@baton/engine';
import { type HttpServerConfig, urlProblem } from '@baton/protocol';
import type { KnownSecrets } from '@baton/runner';

import type { Connector, Link } from '../link/link.ts';
import { RedactedLink } from '../link/redactedLink.ts';
import { serverLabelOf } from '../link/serverLabel.ts';
import { HttpLink } from './httpLink.ts';
import type { Tokens } from './messagePoster.ts';
import { PlainLink } from './plainLink.ts';
import type { Fetcher } from './serverHttpClient.ts';
import { SseLink } from './sseLink.ts';

const links = { http: HttpLink, sse: SseLink, 'http-plain': PlainLink } as const;

interface HttpConnectorOptions {
  readonly fetcher: Fetcher;
  readonly known: KnownSecrets;
  readonly grant?: Tokens | undefined;
}

/** `shown`: the same configuration with its references unresolved, for messages. */
export function httpConnector(
  config: HttpServerConfig,
  shown: HttpServerConfig,
  { fetcher, known, grant }: HttpConnectorOptions,
): Connector {
  const peer = serverLabelOf(shown, known);
  return {
    kind: config.type,
    ...(config.type === 'http'
      ? { older: httpConnector({ ...config, type: 'sse' }, shown, { fetcher, known, grant }) }
      : {}),
    connect: (): Promise<Link> => {
      const problem = urlProblem(config.url);
      if (problem !== undefined) return Promise.reject(unopenable(peer, problem));
      const { url, headers } = config;
      const link = new links[config.type]({ peer, url: new URL(url), headers, grant }, fetcher);
      return Promise.resolve(new RedactedLink(link, known));
    },
  };
}

const unopenable = (peer: string, why: string): FailureError =>
  new FailureError('server-unreachable', `The server ${peer} cannot be reached: ${why}`, {
    delivery: 'unsent',
    details: { peer },
  });
