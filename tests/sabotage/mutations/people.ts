import type { Mutation } from '../mutation.ts';

const ofProvider = ['apps/orchestrator/src/routes/access/providerLogin.int.test.ts'];

/** What people may do, see and give. */
export const personMutations: readonly Mutation[] = [
  {
    safeguard: 'people: the scope of one grant never meets the workflows of another',
    file: 'libs/control/src/operations/operation.ts',
    find: 'const scoped = withScope(caller, route.access);',
    replace: 'const scoped = caller;',
    shownBy: ['apps/orchestrator/src/routes/access/people.int.test.ts'],
  },
  {
    safeguard: 'people: a viewer sees no values of runs',
    file: 'libs/control/src/keys/narrowing.ts',
    find: 'onWorkflow(caller, workflow).hidesValues !== true;',
    replace: "workflow !== '';",
    shownBy: ['apps/orchestrator/src/routes/access/people.int.test.ts'],
  },
  {
    safeguard: 'people: an operation that shows values is refused to a viewer',
    file: 'libs/control/src/operations/operation.ts',
    find: "values === 'needed' ? checkedValues(scoped) : scoped",
    replace: 'scoped',
    shownBy: ['apps/orchestrator/src/routes/access/people.int.test.ts'],
  },
  {
    safeguard: 'people: no right is given that the giver does not have',
    file: 'libs/control/src/keys/giving.ts',
    find: 'if (mayGive(caller, roles.rights(',
    replace: 'if (true || mayGive(caller, roles.rights(',
    shownBy: ['apps/orchestrator/src/routes/access/people.int.test.ts'],
  },
  {
    safeguard: 'people: a log-in at a provider ends in the browser in which it began',
    file: 'libs/control/src/logins/providerLogins.ts',
    find: 'const recordId = (state: string, browser: string): string => `${state} ${browser}`;',
    replace: 'const recordId = (state: string, _browser: string): string => state;',
    shownBy: ofProvider,
  },
  {
    safeguard: 'people: a log-in at a provider is finished once',
    file: 'libs/control/src/logins/providerLogins.ts',
    find: 'found.consumedAt !== undefined || !(await records.consume(kind, id))',
    replace: 'found.consumedAt === -1',
    shownBy: ofProvider,
  },
  {
    safeguard: 'people: after a log-in the browser stays here',
    file: 'apps/orchestrator/src/routes/access/providerLogin.ts',
    find: '/^(?:\\/[\\w~-][\\w.~-]*)+$/.test(to)',
    replace: "to !== ''",
    shownBy: ofProvider,
  },
  {
    safeguard: 'people: a condition that is not true gives nothing',
    file: 'libs/control/src/logins/claimGrants.ts',
    find: 'condition.evaluate(claims) === true',
    replace: 'Boolean(condition.evaluate(claims))',
    shownBy: ofProvider,
  },
  {
    safeguard: 'people: the provider is asked again',
    file: 'libs/control/src/logins/vouching.ts',
    find: 'if (until - askAheadMs > clock.now()) return person;',
    replace: 'if (until > 0) return person;',
    shownBy: ofProvider,
  },
  {
    safeguard: 'people: a voucher is of one person',
    file: 'libs/control/src/logins/vouchers.ts',
    find: 'return of === person ?',
    replace: "return of !== '' ?",
    shownBy: ofProvider,
  },
];
