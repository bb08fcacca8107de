import type { Mutation } from '../mutation.ts';

const guard = 'libs/control/src/budgets/budgetGuard.ts';
const onPostgres = ['libs/control/src/budgets/budgetGuard.int.test.ts'];
const driven = ['libs/runner/src/drive/budgetedRuns.test.ts'];

export const budgetMutations: readonly Mutation[] = [
  {
    safeguard: 'a call that a budget over time refuses does not begin',
    file: 'libs/runner/src/drive/driver.ts',
    find: '      if (!(await this.#refusesSome(settled.events))) return settled;',
    replace: '      return settled;',
    shownBy: driven,
  },
  {
    safeguard: 'the steps that undo and end a run are made with a spent budget too',
    file: 'libs/engine/src/state/chargedCalls.ts',
    find: "path.split('/').some((part) => cleaningUp.has(part)) ? undefined : { path, kind }",
    replace: '{ path, kind }',
    shownBy: driven,
  },
  {
    safeguard: 'of calls that begin together, only those that are left begin',
    file: guard,
    find: "        else if (kind === 'write') writes += 1;",
    replace: '',
    shownBy: onPostgres,
  },
  {
    safeguard: 'a budget that another process sets holds at once',
    file: guard,
    find: "    this.#options.channels.send('budgets', '');",
    replace: '',
    shownBy: onPostgres,
  },
  {
    safeguard: 'a run that is retried is refused by a spent budget too',
    file: 'libs/control/src/intake/rerun.ts',
    find: '  await options.budgets.checkStart(run.workflow);\n',
    replace: '',
    shownBy: ['apps/orchestrator/src/routes/access/budgets.int.test.ts'],
  },
  {
    safeguard: 'a child run is refused by a spent budget',
    file: 'apps/worker/src/children.ts',
    find: "      if (spent !== undefined) return refused('budget-exceeded', spent);\n",
    replace: '',
    shownBy: ['tests/budgets.test.ts'],
  },
  {
    safeguard: 'a write counts in the transaction that puts its intent on record',
    file: 'libs/store/src/journal/journal.ts',
    find: 'writes: this.#count.isOn ? writesIn(runId, events) : []',
    replace: 'writes: []',
    shownBy: onPostgres,
  },
  {
    safeguard: 'items of a forEach and undos are no runs of a budget',
    file: 'libs/store/src/journal/usage.ts',
    find: "part === undefined && trigger.kind !== 'undo' && ",
    replace: '',
    shownBy: onPostgres,
  },
  {
    safeguard: 'a spent budget is told once, over all processes',
    file: 'libs/store/src/budgets/budgets.ts',
    find: '      if (rows.length > 0) told.push(notice);',
    replace: '      told.push(notice);',
    shownBy: onPostgres,
  },
];
