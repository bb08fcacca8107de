/** What the configured servers offer to one key: it sees only what it may call. */
import { type CatalogueCache, policyOf, effectOf, personBehind, type Principal } from '@baton/control';
import { FailureError } from '@baton/engine';
import type { DecidedEffect, Effect } from '@baton/language';
import type { ServersConfig, Catalogue, Prompt, Tool } from '@baton/protocol';

import { offeredName } from './offeredNames.ts';

export interface OfferedTool {
  readonly server: string;
  /** At the gateway. */
  readonly name: string;
  readonly tool: Tool;
  readonly effect: DecidedEffect;
}

export interface OfferedPrompt {
  readonly server: string;
  /** At the gateway. */
  readonly name: string;
  readonly prompt: Prompt;
}

export interface ServerOffers {
  readonly tools: readonly OfferedTool[];
  readonly prompts: readonly OfferedPrompt[];
  readonly catalogues: ReadonlyMap<string, Catalogue>;
  /** By server name: why a server could not be asked. */
  readonly away: ReadonlyMap<string, FailureError>;
}

export interface OffersOptions {
  readonly config: ServersConfig;
  readonly catalogueCache: Pick<CatalogueCache, 'catalogue'>;
}

const strength: Readonly<Record<Effect, number>> = { read: 0, idempotent: 1, write: 2 };

const isAllowed = ({ effects }: Pick<Principal, 'effects'>, { effect }: DecidedEffect): boolean =>
  effects === undefined || strength[effect] <= strength[effects];

/** Omits and names servers that do not answer in time. `asked`: those of the servers that are asked. */
export async function offersOf(
  { config, catalogueCache }: OffersOptions,
  servers: readonly string[],
  principal: Pick<Principal, 'effects' | 'actor' | 'client'>,
  asked: readonly string[] = servers,
): Promise<ServerOffers> {
  const catalogues = new Map<string, Catalogue>();
  const away = new Map<string, FailureError>();
  await Promise.all(
    asked.map(async (server) => {
      const catalogue = await catalogueCache.catalogue(server, undefined, personBehind(principal));
      if (catalogue instanceof FailureError) away.set(server, catalogue);
      else catalogues.set(server, catalogue);
    }),
  );
  const known = asked.flatMap((server) => {
    const catalogue = catalogues.get(server);
    return catalogue === undefined ? [] : [{ server, catalogue }];
  });
  const nameOf = (server: string, { name }: { readonly name: string }): string => offeredName(servers, server, name);
  const tools = known.flatMap(({ server, catalogue }) =>
    catalogue.tools.map((tool): OfferedTool => {
      const effect = effectOf(tool.name, tool, policyOf(config, server));
      return { server, name: nameOf(server, tool), tool, effect };
    }),
  );
  const prompts = known.flatMap(({ server, catalogue }) =>
    catalogue.prompts.map((prompt): OfferedPrompt => ({ server, name: nameOf(server, prompt), prompt })),
  );
  return {
    tools: unmistakable(tools).filter(({ effect }) => isAllowed(principal, effect)),
    prompts: unmistakable(prompts),
    catalogues,
    away,
  };
}

/**
 * The first of those that one server offers under the same name. A server that finds a name with the digest of another
 * one's tool takes both away, and is called for neither.
 */
function unmistakable<Offer extends { readonly server: string; readonly name: string }>(
  offers: readonly Offer[],
): readonly Offer[] {
  const byName = Map.groupBy(offers, ({ name }) => name);
  return [...byName.values()].flatMap(([first, ...others]) =>
    first === undefined || others.some(({ server }) => server !== first.server) ? [] : [first],
  );
}
