/** What the configured servers offer to one key: it sees only what it may call. */
import { FailureError } from '@baton/engine';
import type { DecidedEffect, Effect } from '@baton/language';
import type { ServersConfig } from '@baton/protocol';
import type { Catalogue, Tool } from '@baton/protocol';

import type { CatalogueCache } from '../deploy/catalogueCache.ts';
import { policyOf } from '../deploy/catalogueCache.ts';
import { effectOf } from '../deploy/pins.ts';
import type { Principal } from '../keys/scopes.ts';
import { isPlain, leadsBack } from './names.ts';

export interface OfferedTool {
  readonly server: string;
  readonly tool: Tool;
  readonly effect: DecidedEffect;
}

export interface ServerOffers {
  readonly tools: readonly OfferedTool[];
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

const callable = (catalogue: Catalogue, isOwn: (name: string) => boolean): Catalogue => ({
  ...catalogue,
  tools: catalogue.tools.filter(({ name }) => isOwn(name)),
  prompts: catalogue.prompts.filter(({ name }) => isOwn(name)),
});

/** Omits and names servers that do not answer in time. */
export async function offersOf(
  { config, catalogueCache }: OffersOptions,
  servers: readonly string[],
  principal: Pick<Principal, 'effects'>,
): Promise<ServerOffers> {
  const catalogues = new Map<string, Catalogue>();
  const away = new Map<string, FailureError>();
  await Promise.all(
    servers.map(async (server) => {
      const catalogue = await catalogueCache.catalogue(server);
      if (catalogue instanceof FailureError) away.set(server, catalogue);
      else
        catalogues.set(
          server,
          callable(catalogue, (name) => isPlain(name) && leadsBack(servers, server, name)),
        );
    }),
  );
  const tools = servers.flatMap((server) =>
    (catalogues.get(server)?.tools ?? []).map((tool): OfferedTool => {
      return { server, tool, effect: effectOf(tool.name, tool, policyOf(config, server)) };
    }),
  );
  return { tools: tools.filter(({ effect }) => isAllowed(principal, effect)), catalogues, away };
}
