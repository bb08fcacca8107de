/** The tool that a client of the gateway calls, by the name under which it is offered. */
import { ProblemError } from '@baton/api';
import { type CatalogueCache, declarationsIn, policyOf, effectOf, personBehind, reasonFor } from '@baton/control';
import type { Failure, FailureError, SessionCheck, SessionTarget } from '@baton/engine';
import { didYouMean } from '@baton/expressions';
import { defined, withHint } from '@baton/primitives';
import type { Catalogue, ServersConfig } from '@baton/protocol';

import { serversFor, wholeNameAt } from '../tools/offeredNames.ts';
import { type OfferedTool, offersOf } from '../tools/serverOffers.ts';
import type { GatewayRequest } from './gatewaySession.ts';
import type { SeenTools } from './seenTools.ts';

export interface CalledToolOptions {
  readonly config: ServersConfig;
  readonly catalogueCache: Pick<CatalogueCache, 'catalogue'>;
  readonly seen: SeenTools;
}

interface CalledName {
  readonly request: GatewayRequest;
  /** All at this address. */
  readonly servers: readonly string[];
  /** At the gateway. */
  readonly name: string;
  /** Ends the waiting for a server that starts. */
  readonly signal: AbortSignal;
}

export interface CalledTool extends OfferedTool {
  /** Finds out whether the call happened where its answer is lost. */
  readonly check?: SessionCheck;
}

/** Its server did not say what it offers. */
export interface RefusedTool {
  readonly target: SessionTarget;
  readonly refusal: Failure;
}

/** How long a call waits for a server that starts. Many clients time out after a minute without a message. */
const startMs = 50_000;

/**
 * Waits for the server that the name begins with. Throws `ProblemError` for a tool that does not exist, that the key
 * may not use, or that changed since the session saw it.
 */
export async function calledTool(
  { config, catalogueCache, seen }: CalledToolOptions,
  { request, servers, name: offered, signal }: CalledName,
): Promise<CalledTool | RefusedTool> {
  const { principal } = request;
  const meant = serversFor(servers, offered);
  const isMeant = meant.length > 0;
  const patient = {
    config,
    catalogueCache: {
      catalogue: (server: string) =>
        catalogueCache.catalogue(server, isMeant ? { forMs: startMs, signal } : {}, personBehind(principal)),
    },
  };
  const { tools, away, catalogues } = await offersOf(patient, servers, principal, isMeant ? meant : servers);
  const at = wholeNameAt(servers, offered);
  const found =
    tools.find(({ name }) => name === offered) ??
    tools.find(({ server, tool }) => server === at?.server && tool.name === at.name);
  if (found !== undefined) {
    seen.check(request, found, policyOf(config, found.server));
    return { ...found, ...defined({ check: checkOf(found, catalogues, config) }) };
  }
  const [out] = meant.flatMap((server) => [...away].filter(([name]) => name === server));
  if (out !== undefined) {
    const [server, failure] = out;
    const tool = at?.name ?? offered;
    const effect = effectOf(tool, undefined, policyOf(config, server));
    return { target: { verb: 'tool', server, tool, effect }, refusal: refusalOf(server, failure, principal) };
  }
  const hint = didYouMean(
    offered,
    tools.map(({ name }) => name),
  );
  const sentence = `There is no tool ${JSON.stringify(offered.slice(0, 80))} for this key.`;
  throw new ProblemError('not-found', withHint(sentence, hint));
}

/** What the server configuration declares for the tool, with the checking tool as it is now. */
function checkOf(
  { server, tool, effect }: OfferedTool,
  catalogues: ReadonlyMap<string, Catalogue>,
  config: ServersConfig,
): SessionCheck | undefined {
  const catalogue = catalogues.get(server);
  if (effect.effect !== 'write' || catalogue === undefined) return undefined;
  const policy = policyOf(config, server);
  const declared = declarationsIn(server, catalogue, policy)(server, tool.name)?.check;
  if (declared === undefined) return undefined;
  const checking = catalogue.tools.find(({ name }) => name === declared.tool);
  const contract = checking?.digests.contract;
  return { declared, effect: effectOf(declared.tool, checking, policy), ...defined({ contract }) };
}

/** No session is open where the server is late: the call may be made again. */
const refusalOf = (server: string, failure: FailureError, principal: GatewayRequest['principal']): Failure => ({
  code: failure.code === 'timeout' ? 'server-unreachable' : failure.code,
  message: `The server ${server} cannot be asked. ${reasonFor(principal, failure)}`,
});
