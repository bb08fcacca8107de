import type { Mutation } from '../mutation.ts';

const ofTokens = ['apps/orchestrator/src/routes/access/issuedTokens.int.test.ts'];
const ofAssertions = ['apps/orchestrator/src/routes/access/assertions.int.test.ts'];
const both = [...ofTokens, ...ofAssertions];

const verifying = 'libs/oauth/src/tokenIssuer.ts';
const assertions = 'libs/control/src/logins/assertions.ts';
const people = 'libs/control/src/logins/issuedPeople.ts';

export const issuerMutations: readonly Mutation[] = [
  {
    safeguard: 'a client that has nothing but an address is sent to the other authorization server',
    file: 'apps/orchestrator/src/routes/access/oauth.ts',
    find: '[...(other === undefined ? [] : [other.issuer]), issuer]',
    replace: '[issuer, ...(other === undefined ? [] : [other.issuer])]',
    shownBy: ofTokens,
  },
  {
    safeguard: 'a person of a provider has a name there of at most 255 visible characters',
    file: 'libs/oauth/src/identityProvider.ts',
    find: 'const fault = subjectFault(subject);',
    replace: 'const fault = subjectFault(subject.slice(0, 3));',
    shownBy: ['apps/orchestrator/src/routes/access/providerLogin.int.test.ts'],
  },
  {
    safeguard: 'a person of a token has a name there of at most 255 visible characters',
    file: verifying,
    find: 'const fault = subjectFault(sub);',
    replace: "const fault = subjectFault(sub === '' ? sub : 'x');",
    shownBy: ofTokens,
  },
  {
    safeguard: 'a client has an id of at most 500 characters',
    file: 'libs/control/src/oauth/oauthClients.ts',
    find: 'if (!isClientId(clientId)) return',
    replace: 'if (clientId === null) return',
    shownBy: ['apps/orchestrator/src/routes/access/oauth.int.test.ts'],
  },
  {
    safeguard: 'a token with an algorithm of one key is refused',
    file: verifying,
    find: "typeof alg !== 'string' || !algorithms.includes(alg)",
    replace: "typeof alg !== 'string'",
    shownBy: ofTokens,
  },
  {
    safeguard: 'an identity token is no access token',
    file: verifying,
    find: "if (typeof typ !== 'string' ||",
    replace: "if (typeof typ === 'number' &&",
    shownBy: both,
  },
  {
    safeguard: 'a token is for the address that was asked',
    file: verifying,
    find: '        audience,\n        typ:',
    replace: '        typ:',
    shownBy: both,
  },
  {
    safeguard: 'a token for several addresses is refused',
    file: verifying,
    find: '[payload.aud].flat().length !== 1',
    replace: '[payload.aud].flat().length === 0',
    shownBy: both,
  },
  {
    safeguard: 'an issuer that calls itself otherwise is not taken for the one of the settings',
    file: verifying,
    find: 'if (itself !== this.issuer) {',
    replace: "if (itself === '') {",
    shownBy: ofTokens,
  },
  {
    safeguard: 'tokens of unknown keys do not ask the issuer each time',
    file: verifying,
    find: 'cooldownDuration: unknownKeyMs,',
    replace: 'cooldownDuration: 0,',
    shownBy: ofTokens,
  },
  {
    safeguard: 'an issuer that does not answer is left alone for a while',
    file: verifying,
    find: 'if (this.#away !== undefined && this.#isAway) throw this.#away.fault;',
    replace: '',
    shownBy: ofTokens,
  },
  {
    safeguard: 'wrong tokens of another server slow their address',
    file: 'libs/control/src/logins/signedTokens.ts',
    find: ' : this.#options.keyring.refuse(from, problem);',
    replace: " : from === '' ? this.#options.keyring.refuse(from, problem) : problem;",
    shownBy: ofTokens,
  },
  {
    safeguard: 'a person who was removed has no use of tokens of another server',
    file: people,
    find: 'if (person === undefined || person.removedAt !== undefined) return undefined;',
    replace: 'if (person === undefined) return undefined;',
    shownBy: both,
  },
  {
    safeguard: 'a person who was removed is refused at once',
    file: people,
    find: '    this.#known.delete(id);\n',
    replace: '',
    shownBy: both,
  },
  {
    safeguard: 'a token without scopes gives nothing that was given by hand',
    file: people,
    find: 'const grants = isByClaims ? [] : person.grants;',
    replace: 'const grants = isByClaims ? person.grants : person.grants;',
    shownBy: ofTokens,
  },
  {
    safeguard: 'a stream ends with the person of its token',
    file: 'libs/control/src/oauth/accessTokens.ts',
    find: 'return now !== undefined && haveSameRights(now, holder);',
    replace: 'return now === undefined || haveSameRights(now, holder);',
    shownBy: ofTokens,
  },
  {
    safeguard: 'an assertion is used once',
    file: assertions,
    find: 'if (!(await records.consume(kind, id))) throw usedBefore();',
    replace: '',
    shownBy: ofAssertions,
  },
  {
    safeguard: 'an assertion is for one client',
    file: assertions,
    find: "if (claims['client_id'] !== client.id) throw",
    replace: "if (claims['client_id'] === 0) throw",
    shownBy: ofAssertions,
  },
  {
    safeguard: 'an assertion is for one address',
    file: assertions,
    find: ' || (wanted ?? resource) !== resource)',
    replace: ')',
    shownBy: ofAssertions,
  },
  {
    safeguard: 'an assertion is good for an hour at most',
    file: assertions,
    find: 'if (lifeMs > lifeMaxMs + skewMs)',
    replace: 'if (lifeMs > Infinity)',
    shownBy: ofAssertions,
  },
  {
    safeguard: 'a token for an assertion has no more than was asked for',
    file: assertions,
    find: 'rights.scopes.includes(scope) && wanted.scopes.includes(scope)',
    replace: 'rights.scopes.includes(scope)',
    shownBy: ofAssertions,
  },
  {
    safeguard: 'a client that asks for a weaker choice than its assertion says gets its limits',
    file: 'libs/control/src/logins/assertions.ts',
    find: 'weakerChoice(rights.choice, wanted.choice)',
    replace: 'weakerChoice(rights.choice, rights.choice)',
    shownBy: ['apps/orchestrator/src/routes/access/assertions.int.test.ts'],
  },
];
