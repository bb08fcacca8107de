import { ModelsConfig } from '@baton/protocol';
import { expect, test } from 'vitest';

import { catalogOf, fullName } from './catalog.ts';

const local = { kind: 'openai-compatible', url: 'http://127.0.0.1:11434/v1', model: 'small' };

const problems = (config: unknown): string[] =>
  ModelsConfig.safeParse(config).error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) ?? [];

test('a provider needs no more than its kind, its place and a model', () => {
  const { entries, byDefault } = catalogOf(ModelsConfig.parse({ default: 'local', providers: { local } }));
  expect(entries.map(fullName)).toEqual(['local/small']);
  expect(byDefault).toBe(entries[0]);
});

test('models are listed by name or with settings; the provider’s own default comes first', () => {
  const config = ModelsConfig.parse({
    default: 'cloud/large',
    providers: {
      local: { ...local, models: ['small', 'medium'] },
      cloud: {
        kind: 'anthropic',
        model: 'middling',
        models: { large: { ratings: { intelligence: 1 }, price: { input: 3, output: 15 } } },
      },
    },
  });
  const { entries, byDefault } = catalogOf(config);
  expect(entries.map(fullName)).toEqual(['local/small', 'local/medium', 'cloud/middling', 'cloud/large']);
  expect(byDefault).toMatchObject({ id: 'large', model: { ratings: { intelligence: 1 } } });
});

test('without a default the first provider is the default, and without providers there is none', () => {
  const config = ModelsConfig.parse({ providers: { one: { kind: 'scripted' }, local } });
  expect(catalogOf(config).byDefault).toMatchObject({ provider: 'one', id: 'scripted' });
  expect(catalogOf(ModelsConfig.parse({})).byDefault).toBeUndefined();
});

test.each([
  [{ default: 'cloud', providers: { local } }, 'default: expected one of local, alone or as provider/model'],
  [{ default: 'local/large', providers: { local } }, 'default: expected one of local'],
  [{ default: 'toString', providers: { local } }, 'default: expected one of local'],
  [{ providers: { local: { ...local, url: undefined } } }, 'providers.local.url:'],
  [{ providers: { local: { ...local, model: undefined } } }, 'providers.local: expected "model", or "models"'],
  [{ providers: { local: { ...local, key: 'k' } } }, 'providers.local: Unrecognized key: "key"'],
  [{ providers: { local: { ...local, kind: 'cohere' } } }, 'providers.local.kind:'],
  [{ providers: { 'a/b': local } }, 'providers.a/b: Invalid key'],
  [
    { providers: { s: { kind: 'scripted', rules: [{ match: 'x', text: 'y', json: 1 }] } } },
    'providers.s.rules.0: expected one of',
  ],
  [{ providers: { local: { ...local, models: { small: { ratings: { speed: 2 } } } } } }, 'providers.local.models'],
])('%j is refused, with its place', (config, problem) => {
  expect(problems(config).join('\n')).toContain(problem);
});
