import type { Mutation } from '../../mutation.ts';

export const secretsMutations: readonly Mutation[] = [
  {
    safeguard: 'vault: a sealed value is bound to its name and version',
    file: 'libs/store/src/secrets/vault.ts',
    find: 'bound === undefined ? `${name} ${version}` :',
    replace: "bound === undefined ? `${name && version ? '' : ''}` :",
    shownBy: ['libs/store/src/secrets/vault.test.ts'],
  },
  {
    safeguard: 'secrets: one that is bound to other servers is not looked up for mcp.json',
    file: 'libs/runner/src/secrets/boundSecrets.ts',
    find: "{ server, as: 'setting' }",
    replace: "{ as: 'setting' }",
    shownBy: ['apps/orchestrator/src/canary.int.test.ts'],
  },
  {
    safeguard: 'secrets: whom one is for is sealed with it',
    file: 'libs/store/src/secrets/vault.ts',
    find: 'bound === undefined ?',
    replace: "bound !== '' ?",
    shownBy: ['libs/store/src/secrets/secrets.int.test.ts'],
  },
  {
    safeguard: 'a name of a key belongs to one that can be used',
    file: 'libs/store/src/keys/apiKeys.ts',
    find: 'if (holder !== null) throw',
    replace: "if (holder?.name === '') throw",
    shownBy: ['apps/orchestrator/src/routes/access/keys.int.test.ts'],
  },
];
