import type { Mutation } from '../mutation.ts';

const ofRoutes = ['apps/orchestrator/src/routes/servers/personLogin.int.test.ts'];
const ofWaits = ['libs/runner/src/drive/loginWaits.test.ts'];
const ofLogins = ['libs/transports/src/oauth/personLogins.int.test.ts'];

export const loginMutations: readonly Mutation[] = [
  {
    safeguard: 'each person has sessions, tokens and lists of tools of their own',
    file: 'libs/transports/src/server/loginServers.ts',
    find: 'this.#own.get(login.key) ??',
    replace: '[...this.#own.values()][0] ??',
    shownBy: ofLogins,
  },
  {
    safeguard: 'without a login of its person, a call is not sent',
    file: 'libs/transports/src/server/server.ts',
    find: 'if (!hasOwnLogins(this.config)) return credential;',
    replace: 'return credential;',
    shownBy: ofLogins,
  },
  {
    safeguard: 'the browser that agreed confirms whose login it is',
    file: 'libs/transports/src/oauth/grant.ts',
    find: "if (this.#login !== undefined && answer.get('confirm') !== proof)",
    replace: "if (this.#login !== undefined && answer.get('confirm') === proof)",
    shownBy: ofLogins,
  },
  {
    safeguard: 'the logins of a person end with them',
    file: 'libs/store/src/people/people.ts',
    find: 'await endLoginsOf(transaction, await transaction.person.findUniqueOrThrow({ where: { id } }));',
    replace: '',
    shownBy: ofRoutes,
  },
  {
    safeguard: 'no login is stored for a person who was removed',
    file: 'libs/store/src/secrets/authorizations.ts',
    find: 'if (newest === null && login !== undefined && (await isEndedLogin(transaction, login))) return;',
    replace: '',
    shownBy: ofRoutes,
  },
  {
    safeguard: 'a retry uses the login of who asks for it',
    file: 'libs/control/src/intake/rerun.ts',
    find: 'person: _person,',
    replace: '',
    shownBy: ofRoutes,
  },
  {
    safeguard: 'the login of an installation takes a right over servers',
    file: 'libs/control/src/operations/servers.ts',
    find: "if (!parts.servers.hasOwnLogins(name)) checkScopes(caller, ['servers:approve']);",
    replace: '',
    shownBy: ofRoutes,
  },
  {
    safeguard: 'a call without a login waits before its intent',
    file: 'libs/runner/src/sharing/loginPace.ts',
    find: 'if (person !== undefined && (await this.lacksLogin(server, person)))',
    replace: 'if (person === undefined && server === person)',
    shownBy: ofWaits,
  },
  {
    safeguard: 'a call whose login has ended waits for the next one',
    file: 'libs/runner/src/call/performCall.ts',
    find: 'return (await pace?.lacksLogin?.(call.server, person)) === true;',
    replace: 'return false;',
    shownBy: ofWaits,
  },
  {
    safeguard: 'a run that waits for a login looks less and less often',
    file: 'libs/engine/src/decide/callTurns.ts',
    find: 'Math.min(Math.max(waitedMs, 5_000), 600_000)',
    replace: 'Math.min(Math.max(waitedMs, 5_000), 5_000)',
    shownBy: ofWaits,
  },
  {
    safeguard: 'a call whose login ended since it lined up waits for the next one',
    file: 'libs/transports/src/server/server.ts',
    find: '      if (had === undefined ||',
    replace: '      if (had !== undefined ||',
    shownBy: ['libs/transports/src/oauth/personLogins.int.test.ts'],
  },
  {
    safeguard: 'after the end of a login each call looks for it anew',
    file: 'libs/transports/src/server/server.ts',
    find: '      const had = this.#token;\n      this.#token = undefined;',
    replace: '      const had = this.#token;',
    shownBy: ['libs/transports/src/oauth/personLogins.int.test.ts'],
  },
  {
    safeguard: 'a login that no refresh token renews is none any more',
    file: 'libs/transports/src/oauth/grant.ts',
    find: 'if (this.#login !== undefined) await this.#remembered.change({ tokens: undefined });',
    replace: '',
    shownBy: ['libs/transports/src/oauth/personLogins.int.test.ts'],
  },
];
