/** `baton budgets`: what the workflows of a pattern may use in a day or a month. */
import type { Budget, Client } from '@baton/api/client';
import { defined } from '@baton/primitives';
import { Option } from '@commander-js/extra-typings';

import { CommandError } from '../commandError.ts';
import { exitCodes } from '../exitCodes.ts';
import { oneLine } from '../output/text.ts';
import { actOn, listCommand } from './defineCommand.ts';

type Limit = Budget['limits'][number];

const share = ({ spent, most }: Limit): number => (most === 0 ? 1 : spent / most);

const usedText = (limit: Limit): string =>
  `${limit.spent} of ${limit.most} ${limit.unit === 'usd' ? 'USD' : limit.unit} (${Math.floor(share(limit) * 100)} %)`;

const highest = ({ limits }: Budget): number => Math.max(...limits.map(share));

export const ls = listCommand({
  json: 'print them as a JSON array',
  list: (client) => client.budgets.list(),
  columns: [
    { title: 'NAME', value: ({ name }) => name },
    {
      title: 'WORKFLOWS',
      value: ({ on, warning }) => (warning === undefined ? on : `${on} (none is deployed)`),
      canShrink: true,
    },
    { title: 'PER', value: ({ per }) => per },
    {
      title: 'USED',
      value: ({ limits }) => limits.map(usedText).join(', '),
      colour: (paint, budget) => {
        if (highest(budget) >= 1) return paint.red;
        return highest(budget) >= 0.8 ? paint.yellow : (text) => text;
      },
    },
    { title: 'UNTIL', value: ({ until }, { instantText }) => instantText(until) },
    { title: 'SET BY', value: ({ setBy }) => setBy, dispensable: true },
  ],
  none: 'There are no budgets. `baton budgets set NAME --on "payments/*" --per month --usd 50` sets one.',
  examples: [['baton budgets ls', 'list budgets, and what is used of them']],
});

/** `1e3` and `0x10` are no amounts that people mean. */
function amount(option: string, text: string | undefined, isWhole: boolean): number | undefined {
  if (text === undefined) return undefined;
  if (!(isWhole ? /^\d{1,13}$/ : /^\d{1,13}(?:\.\d{1,9})?$/).test(text))
    throw new CommandError(exitCodes.usage, `${option} cannot be "${text.slice(0, 80)}".`, {
      hint: isWhole ? 'it is a whole number from 0 on' : 'it is a number of dollars, such as 50 or 0.5',
    });
  return Number(text);
}

/** Rejects with `CommandError` where a limit of the budget would go without a word. */
async function checkKept(client: Client, name: string, given: Partial<Record<Limit['unit'], string>>): Promise<void> {
  const before = (await client.budgets.list()).data.find((one) => one.name === name);
  const gone = before?.limits.filter(({ unit }) => given[unit] === undefined) ?? [];
  if (gone.length === 0) return;
  const limits = gone.map(({ unit, most }) => `--${unit} ${most}`).join(' ');
  throw new CommandError(exitCodes.usage, `The budget ${name} has further limits, which \`set\` would remove.`, {
    hint: `to keep them, add ${limits}; to remove them, \`baton budgets rm ${name}\` first`,
  });
}

export const set = actOn({
  of: ['<budget>', 'its name'],
  options: (command) =>
    command
      .requiredOption('--on <workflows>', 'a workflow, or a pattern, as payments/* or *')
      .addOption(new Option('--per <time>', 'in UTC').choices(['day', 'month'] as const).makeOptionMandatory())
      .option('--usd <dollars>', 'what models may cost')
      .option('--tokens <number>', 'tokens of models, in and out')
      .option('--writes <number>', 'calls that write')
      .option('--runs <number>', 'runs that are accepted, child runs too'),
  json: 'print the budget as JSON',
  act: async (client, name, { options: { on, per, ...most } }) => {
    if (Object.keys(most).length === 0)
      throw new CommandError(exitCodes.usage, 'The budget has no limit.', {
        hint: 'give one or more of --usd, --tokens, --writes and --runs',
      });
    await checkKept(client, name, most);
    return client.budgets.set(name, {
      on,
      per,
      ...defined({
        usd: amount('--usd', most.usd, false),
        tokens: amount('--tokens', most.tokens, true),
        writes: amount('--writes', most.writes, true),
        runs: amount('--runs', most.runs, true),
      }),
    });
  },
  print: ({ limits, until, warning }, { stderr }) => {
    stderr.line(`The budget is set: ${limits.map(usedText).join(', ')}, until ${until}.`);
    if (warning !== undefined) stderr.line(`${stderr.paint.yellow('!')} ${oneLine(warning)}`);
  },
  examples: [
    ['baton budgets set refunds --on "payments/*" --per month --usd 50', 'models cost 50 dollars a month at the most'],
    [
      'baton budgets set nightly --on nightly --per day --runs 20 --writes 500',
      'two limits; one that is spent refuses',
    ],
  ],
});

export const rm = actOn({
  of: ['<budget>', 'its name'],
  act: (client, name) => client.budgets.remove(name),
  done: 'The budget is removed.',
  examples: [['baton budgets rm refunds', 'what it refused is accepted from now on']],
});
