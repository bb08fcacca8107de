import { defined } from '@baton/primitives';

import { confirmed } from '../inputs/confirmed.ts';
import { fenceLines } from '../output/fenceLines.ts';
import { plural, wrap } from '../output/text.ts';
import { actOn, commandOf } from './defineCommand.ts';

export const show = actOn({
  json: 'print the answer as JSON',
  act: (client) => client.fence.show(),
  print: (fence, { stdout }) => {
    for (const line of fenceLines(fence, stdout.columns())) stdout.line(line);
  },
  examples: [['baton fence show', 'show which runs were active, and what they may have called since']],
});

export const lift = commandOf({
  form: (command) =>
    command
      .requiredOption('--reason <text>', 'why, for the audit')
      .option('--trust', 'go on as if nothing had happened in the lost time: for a test installation')
      .option('--make-up', 'let schedules fire the instants of the lost time')
      .option('--yes', 'do not ask'),
  act: async (context, _, { reason, trust, makeUp, yes }) => {
    const client = await context.client();
    const { stderr } = context;
    const fence = await client.fence.show();
    for (const line of fenceLines(fence, stderr.columns())) stderr.line(line);
    if (!fence.stands) return;
    if (yes !== true)
      await confirmed(context, {
        question: trust === true ? 'Go on as if nothing had happened since?' : 'Let these runs go on?',
        refusal: 'This lets every run go on that the database has as active.',
        hint: 'look at `baton fence show`, then add --yes',
        declined: 'The fence stands.',
      });
    const { runs, schedules } = await client.fence.lift({ reason, ...defined({ trust, makeUp }) });
    const say = (text: string): void => {
      for (const line of wrap(text, (stderr.columns() ?? Infinity) - 1)) stderr.line(line);
    };
    say(
      trust === true
        ? 'Lifted. Runs go on as the database has them.'
        : `Lifted. ${plural(runs, 'run')} ${runs === 1 ? 'goes' : 'go'} on. What each may have called since is unknown when it first comes up.`,
    );
    if (schedules.length > 0)
      say(
        `${plural(schedules.length, 'schedule')} passed over the lost time; \`baton schedules backfill\` runs missed times.`,
      );
  },
  examples: [
    ['baton fence lift --reason "restored after the fire"', 'let the runs go on; what they may have called is unknown'],
    ['baton fence lift --reason "a copy for tests" --trust --yes', 'let them go on as the database has them'],
  ],
});
