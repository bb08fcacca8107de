import { FailureError } from '@baton/engine';
import { describe, expect, test } from 'vitest';

import type { RevealedSecret, SecretSource } from '../ports/secretSource.ts';
import { KnownSecrets } from '../redact/knownSecrets.ts';
import { BoundSecrets } from './boundSecrets.ts';

const stored: Readonly<Record<string, RevealedSecret>> = {
  FREE: { value: 'free-value' },
  BOUND: { value: 'bound-value', before: 'older-value', workflows: ['mine'], servers: ['tools', 'callbacks/a.test'] },
  HOOK: { value: 'hook-value' },
};

/** A source in memory. */
const source: SecretSource = {
  reveal: async (names) => new Map(Object.entries(stored).filter(([name]) => names.includes(name))),
  list: async () => ({
    secrets: Object.entries(stored).map(([name, { value: _value, before: _before, ...binding }]) => ({
      name,
      version: 1,
      setBy: 'ada',
      setAt: 0,
      ...binding,
    })),
  }),
  watch: async () => ({ fresh: async () => undefined, close: async () => undefined }),
};

function secretsOf(): { secrets: BoundSecrets; known: KnownSecrets } {
  const known = new KnownSecrets();
  const hook = { scheme: 'standard', workflow: 'other' } as const;
  const hooks = ['HOOK', 'BOUND'].map((secret) => ({ ...hook, secret }));
  return { secrets: new BoundSecrets(source, { known, deployed: async () => ({ hooks, arguments: [] }) }), known };
}

const workflow = (id: string) => ({ id, isDeployed: true });

describe('a secret', () => {
  test.each([
    { as: 'argument', workflow: workflow('mine'), server: 'others' },
    { as: 'setting', server: 'others' },
    { as: 'callback', workflow: workflow('mine'), server: 'callbacks/b.test' },
  ] as const)(
    'A secret that is bound elsewhere is not revealed as $as, and redaction does not learn it',
    async (use) => {
      const { secrets, known } = secretsOf();
      const found = (await secrets.reveal(['BOUND'], use)).get('BOUND');
      expect(found).toEqual({ refused: expect.stringContaining('is bound to') as string });
      expect(await secrets.refusal('BOUND', use)).toEqual(found && 'refused' in found && found.refused);
      expect(known.redactor.text('bound-value')).toBe('bound-value');
    },
  );

  test.each([
    { as: 'argument', workflow: workflow('other'), server: 'tools' },
    { as: 'webhook', workflow: workflow('other') },
    { as: 'callback', workflow: workflow('other'), server: 'callbacks/a.test' },
  ] as const)('A secret that is bound to other workflows is not there as $as', async (use) => {
    const { secrets, known } = secretsOf();
    expect(await secrets.reveal(['BOUND', 'NONE'], use)).toEqual(new Map());
    expect(await secrets.refusal('BOUND', use)).toEqual(await secrets.refusal('NONE', use));
    expect(known.redactor.text('bound-value')).toBe('bound-value');
  });

  test('A secret is revealed for the use that it is bound to, with the value before, and redaction knows it', async () => {
    const { secrets, known } = secretsOf();
    const use = { as: 'webhook', workflow: workflow('mine') } as const;
    const revealed = await secrets.reveal(['BOUND', 'NONE'], use);
    expect([...revealed]).toEqual([['BOUND', { value: 'bound-value', before: 'older-value' }]]);
    expect(known.redactor.text('bound-value')).not.toContain('bound-value');
    expect(await secrets.refusal('BOUND', use)).toBeUndefined();
  });

  test.each(['argument', 'callback'] as const)(
    'A secret that signs a webhook is not revealed as %s: its receiver could sign deliveries',
    async (as) => {
      const { secrets } = secretsOf();
      const use = { as, workflow: workflow('mine'), server: 'tools' };
      expect((await secrets.reveal(['HOOK'], use)).get('HOOK')).toHaveProperty('refused');
      expect(await secrets.refusal('HOOK', use)).toMatch(/webhook/);
    },
  );

  test('A webhook of a workflow that a secret is not bound to does not keep others from using it', async () => {
    const { secrets } = secretsOf();
    const use = { as: 'argument', workflow: workflow('mine'), server: 'tools' } as const;
    expect((await secrets.reveal(['BOUND'], use)).get('BOUND')).toHaveProperty('value', 'bound-value');
    expect((await secrets.deployedUses()).hooks.map(({ secret }) => secret)).toEqual(['HOOK']);
    expect(await secrets.hooksNaming('BOUND', { workflows: ['mine'] })).toEqual([]);
    expect(await secrets.hooksNaming('BOUND', {})).toHaveLength(1);
  });

  test('The webhooks are read once for all secrets of a use, and not where they do not matter', async () => {
    let reads = 0;
    const deployed = async () => {
      reads += 1;
      return { hooks: [], arguments: [] };
    };
    const secrets = new BoundSecrets(source, { known: new KnownSecrets(), deployed });
    const readsFor = async (names: readonly string[], as: 'argument' | 'setting'): Promise<number> => {
      reads = 0;
      await secrets.reveal(names, { as, workflow: workflow('mine'), server: 'tools' });
      return reads;
    };
    expect(await readsFor(['FREE', 'BOUND', 'HOOK'], 'argument')).toBe(1);
    expect(await readsFor(['NONE'], 'argument')).toBe(0);
    expect(await readsFor(['FREE'], 'setting')).toBe(0);
  });

  test('A step fails before its call if one of its secrets is missing or refused', async () => {
    const { secrets } = secretsOf();
    const use = { workflow: workflow('mine'), server: 'tools' };
    expect(await secrets.ofStep(['FREE', 'BOUND'], use)).toEqual({ FREE: 'free-value', BOUND: 'bound-value' });
    for (const name of ['NONE', 'HOOK'])
      await expect(secrets.ofStep(['FREE', name], use)).rejects.toThrow(FailureError);
  });
});
