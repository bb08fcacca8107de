/**
 * Chooses the model by MCP's `modelPreferences` (2025-11-25, client/sampling): first the hints in their order, each a
 * part of a model's name; then the priorities, among the models that fit a hint, or among all; without priorities the
 * default.
 */
import { type Catalog, type CatalogEntry, fullName } from './catalog.ts';
import type { ModelPreferences } from './request.ts';

const unrated = 0.5;

export function choose({ entries, byDefault }: Catalog, preferences: ModelPreferences = {}): CatalogEntry | undefined {
  for (const { name } of preferences.hints ?? []) {
    if (name === undefined || name === '') continue;
    const fitting = entries.filter((entry) => fullName(entry).toLowerCase().includes(name.toLowerCase()));
    if (fitting.length > 0) return highestScored(fitting, preferences, byDefault);
  }
  return hasPriorities(preferences) ? highestScored(entries, preferences, byDefault) : byDefault;
}

function highestScored(
  entries: readonly CatalogEntry[],
  preferences: ModelPreferences,
  byDefault: CatalogEntry | undefined,
): CatalogEntry | undefined {
  const scored = entries.map((entry) => ({ entry, score: score(entry, preferences) }));
  const highest = Math.max(...scored.map(({ score }) => score));
  const leading = scored.filter(({ score }) => score === highest).map(({ entry }) => entry);
  return leading.find((entry) => entry === byDefault) ?? leading[0];
}

const hasPriorities = ({ costPriority, speedPriority, intelligencePriority }: ModelPreferences): boolean =>
  [costPriority, speedPriority, intelligencePriority].some((one) => one !== undefined && one > 0);

function score({ model: { ratings } }: CatalogEntry, preferences: ModelPreferences): number {
  const { costPriority = 0, speedPriority = 0, intelligencePriority = 0 } = preferences;
  return (
    costPriority * (ratings.cheapness ?? unrated) +
    speedPriority * (ratings.speed ?? unrated) +
    intelligencePriority * (ratings.intelligence ?? unrated)
  );
}
