import type { Mutation } from '../mutation.ts';

const shownBy = ['apps/orchestrator/src/routes/access/oauth.int.test.ts'];

export const oauthMutations: readonly Mutation[] = [
  {
    safeguard: 'a client may cause no more than the person who connected it',
    file: 'libs/control/src/oauth/clientChoices.ts',
    find: 'effects: weakerEffect(own.effects, agreed.effects),',
    replace: 'effects: agreed.effects,',
    shownBy: ['libs/control/src/keys/narrowing.test.ts'],
  },
  {
    safeguard: 'a client of a person has each grant by itself',
    file: 'libs/control/src/oauth/clientChoices.ts',
    find: 'if (key.grants === undefined) return',
    replace: 'if (key.by !== undefined) return',
    shownBy: ['libs/control/src/keys/narrowing.test.ts'],
  },
  {
    safeguard: 'a token is good for one address',
    file: 'libs/control/src/oauth/accessTokens.ts',
    find: 'if (token.audience !== address) throw',
    replace: "if (token.audience === '') throw",
    shownBy,
  },
  {
    safeguard: 'a token may do at most what its key may',
    file: 'libs/control/src/oauth/clientChoices.ts',
    find: 'scopes.includes(scope) && may(own, [scope])',
    replace: 'scopes.includes(scope)',
    shownBy,
  },
  {
    safeguard: 'a person gives no client what the key may not',
    file: 'libs/control/src/oauth/oauthClients.ts',
    find: 'if (!consent.offered.includes(choice)) {',
    replace: 'if (consent.offered.length === -1) {',
    shownBy,
  },
  {
    safeguard: 'a code and a refresh token are used up once',
    file: 'libs/oauth/src/adapter.ts',
    find: "if (!(await this.#records.consume(this.#kind, id))) throw new errors.InvalidGrant('used before');",
    replace: 'await Promise.resolve(id);',
    shownBy,
  },
  {
    safeguard: 'only the browser that began an authorization decides it',
    file: 'libs/oauth/src/authorizationServer.ts',
    find: 'if (cookie === undefined || cookie !== uid) return undefined;',
    replace: 'if (uid === cookie?.repeat(2)) return undefined;',
    shownBy,
  },
  {
    safeguard: 'a person decides in a browser, not a key',
    file: 'libs/control/src/operations/clients.ts',
    find: 'if (caller.session !== undefined) return caller;',
    replace: 'if (caller.id !== undefined) return caller;',
    shownBy,
  },
  {
    safeguard: 'a client that changed is asked about again',
    file: 'libs/control/src/oauth/oauthClients.ts',
    find: 'known.described === digestOf(request) &&',
    replace: "known.described !== '' &&",
    shownBy,
  },
  {
    safeguard: 'a sealed record is that of its own digest',
    file: 'libs/control/src/oauth/sealedRecords.ts',
    find: "if (of !== digest.toString('base64url')) return undefined;",
    replace: "if (of === '') return undefined;",
    shownBy,
  },
  {
    safeguard: 'a connected client logs no browser in',
    file: 'libs/control/src/keys/loginSessions.ts',
    find: 'if (client !== undefined) throw',
    replace: 'if (client === null) throw',
    shownBy,
  },
  {
    safeguard: 'ten new clients of an address are let in within a minute',
    file: 'libs/control/src/oauth/oauthClients.ts',
    find: 'new AddressCounts(() => options.clock.monotonic(), newClientsMax)',
    replace: 'new AddressCounts(() => options.clock.monotonic(), Infinity)',
    shownBy,
  },
];
