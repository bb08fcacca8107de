import type { Mutation } from '../mutation.ts';

export const languageMutations: readonly Mutation[] = [
  {
    safeguard: 'expression cost limit',
    file: 'libs/language/src/expression/evaluation.ts',
    find: "if (this.#left < 0) throw new BudgetSpent('it does more than one evaluation may');",
    // Twenty times as much. Without any limit the tests compute until their process is out of memory, and tell nothing.
    replace: "if (this.#left < -20_000_000) throw new BudgetSpent('it does more than one evaluation may');",
    shownBy: ['libs/language/src/expression/budget.test.ts'],
  },
  {
    safeguard: 'own keys only (no prototype)',
    file: 'libs/language/src/expression/access.ts',
    find: 'return Object.hasOwn(map, key) ? map[key] : undefined;',
    replace: 'return map[key];',
    shownBy: ['libs/language/src/expression/expression.test.ts'],
  },
  {
    safeguard: 'pattern size limit (RE2 program)',
    file: 'libs/language/src/schema/pattern.ts',
    find: "if (patternSize(source) > sizeMax) return 'the pattern repeats too much: it would be too large';",
    replace: '',
    shownBy: ['libs/language/src/schema/patternSize.test.ts'],
  },
  {
    safeguard: 'list size limit in expressions',
    file: 'libs/language/src/expression/evaluation.ts',
    find: 'if (items.length > listItems) throw new BudgetSpent(`it makes a list of more than ${listItems} items`);',
    replace: '',
    shownBy: ['libs/language/src/expression/budget.test.ts'],
  },
  {
    safeguard: 'DST: schedule is in its time zone',
    file: 'libs/language/src/schedule/instants.ts',
    find: 'new Cron(cron, { paused: true, timezone,',
    replace: "new Cron(cron, { paused: true, timezone: timezone && 'UTC',",
    shownBy: ['libs/language/src/schedule/instants.test.ts'],
  },
  {
    safeguard: 'YAML: anchors are refused',
    file: 'libs/language/src/yaml/tokens.ts',
    find: "  '&': ['yaml-anchor'",
    replace: "  '&&': ['yaml-anchor'",
    shownBy: ['libs/language/src/corpus.test.ts'],
  },
  {
    safeguard: 'schema: keyword limit',
    file: 'libs/language/src/schema/schemaCost.ts',
    find: 'if (count > keywords) return',
    replace: 'if (count > keywords * 1e6) return',
    shownBy: ['libs/language/src/schema/validator.test.ts'],
  },
  {
    safeguard: 'progress is recorded every 500 ms and not more often',
    file: 'libs/language/src/limits.ts',
    find: '    intervalMs: 500,',
    replace: '    intervalMs: 5,',
    shownBy: ['libs/runner/src/progressLog.test.ts'],
  },
  {
    safeguard: 'schema: nested more than 32 deep is refused',
    file: 'libs/language/src/schema/schemaCost.ts',
    find: '    if (place.depth > depth) return `It is nested more than ${depth} schemas deep.`;\n',
    replace: '',
    shownBy: ['libs/language/src/schema/validator.test.ts'],
  },
  {
    safeguard: 'secrets: what comes with its run uses none that is bound to workflows',
    file: 'libs/language/src/servers/secretBinding.ts',
    find: 'if (!workflow.isDeployed)',
    replace: "if (workflow.id === '')",
    shownBy: ['libs/language/src/servers/secrets.test.ts'],
  },
  {
    safeguard: "secrets: the check gives no tool a webhook's",
    file: 'libs/language/src/check/expressions.ts',
    find: 'site.checking.hookSecrets.has(name)',
    replace: "site.checking.hookSecrets.has('')",
    shownBy: ['libs/language/src/corpus.test.ts'],
  },
];
