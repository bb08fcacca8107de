import { ModelsConfig } from '@baton/protocol';
import { expect, test } from 'vitest';

import { catalogOf, fullName } from './catalog.ts';
import { choose } from './choose.ts';
import type { ModelPreferences } from './request.ts';

const catalog = catalogOf(
  ModelsConfig.parse({
    default: 'local',
    providers: {
      anthropic: {
        kind: 'anthropic',
        models: {
          'claude-opus': { ratings: { intelligence: 1, speed: 0.3, cheapness: 0.1 } },
          'claude-sonnet': { ratings: { intelligence: 0.8, speed: 0.6, cheapness: 0.4 } },
          'claude-sonnet-fast': { ratings: { intelligence: 0.7, speed: 0.9, cheapness: 0.4 } },
        },
      },
      local: { kind: 'openai-compatible', url: 'http://127.0.0.1/v1', models: { llama: {}, 'llama-large': {} } },
    },
  }),
);

const chosen = (preferences?: ModelPreferences): string | undefined => {
  const entry = choose(catalog, preferences);
  return entry === undefined ? undefined : fullName(entry);
};

const hints = (...names: string[]): ModelPreferences => ({ hints: names.map((name) => ({ name })) });

test.each<[string, ModelPreferences | undefined, string]>([
  ['no preferences: the default', undefined, 'local/llama'],
  ['a part of a name', hints('sonnet'), 'anthropic/claude-sonnet'],
  ['upper and lower case are the same', hints('SONNET-Fast'), 'anthropic/claude-sonnet-fast'],
  ['the provider is part of the name', hints('anthropic/'), 'anthropic/claude-opus'],
  ['the first hint that fits', hints('gpt', 'opus', 'llama'), 'anthropic/claude-opus'],
  ['hints that say nothing are passed over', { hints: [{}, { name: '' }, { name: 'opus' }] }, 'anthropic/claude-opus'],
  ['no hint fits: the default', hints('gpt'), 'local/llama'],
  ['priorities among those that a hint fits', { ...hints('sonnet'), speedPriority: 1 }, 'anthropic/claude-sonnet-fast'],
  ['priorities alone', { intelligencePriority: 1 }, 'anthropic/claude-opus'],
  ['priorities where no hint fits', { ...hints('gpt'), speedPriority: 0.4 }, 'anthropic/claude-sonnet-fast'],
  ['cheapest: what is not rated is average', { costPriority: 1 }, 'local/llama'],
  ['priorities of zero are none', { costPriority: 0, speedPriority: 0 }, 'local/llama'],
  ['weighed against each other', { intelligencePriority: 0.5, speedPriority: 0.5 }, 'anthropic/claude-sonnet-fast'],
])('%s', (_what, preferences, expected) => {
  expect(chosen(preferences)).toBe(expected);
});

test('where nothing is configured nothing is chosen, with any preference', () => {
  const nothing = catalogOf(ModelsConfig.parse({}));
  expect(choose(nothing, { ...hints('x'), speedPriority: 1 })).toBeUndefined();
});
