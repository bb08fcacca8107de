import type { ModelConfig, ModelsConfig, ProviderConfig } from '@baton/protocol';

/** One configured model. */
export interface CatalogEntry {
  readonly provider: string;
  readonly id: string;
  readonly model: ModelConfig;
  readonly config: ProviderConfig;
}

export interface Catalog {
  /** In the order of the configuration. */
  readonly entries: readonly CatalogEntry[];
  readonly byDefault: CatalogEntry | undefined;
}

export function catalogOf({ default: wanted, providers }: ModelsConfig): Catalog {
  const entries = Object.entries(providers).flatMap(([provider, config]) => {
    const ids = new Set([...(config.model === undefined ? [] : [config.model]), ...Object.keys(config.models)]);
    return [...ids].map((id) => ({ provider, id, config, model: config.models[id] ?? { ratings: {} } }));
  });
  // The provider's own default is the first of its entries.
  const byDefault =
    wanted === undefined
      ? entries[0]
      : entries.find((entry) => entry.provider === wanted || fullName(entry) === wanted);
  return { entries, byDefault };
}

export const fullName = ({ provider, id }: Pick<CatalogEntry, 'provider' | 'id'>): string => `${provider}/${id}`;
