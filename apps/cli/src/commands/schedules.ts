import { oneLine } from '../output/text.ts';
import { zonedInstant } from '../output/time.ts';
import { actOn, listCommand } from './defineCommand.ts';

export const ls = listCommand({
  options: (command) => command.option('-w, --workflow <workflow>', 'only schedules of this workflow'),
  json: 'print them as a JSON array',
  list: (client, { workflow }) => client.schedules.all({ workflow }),
  columns: [
    { title: 'ID', value: ({ id }) => id },
    { title: 'TIMES', value: ({ times }) => times },
    { title: 'ZONE', value: ({ timezone }) => timezone },
    {
      title: 'NEXT',
      value: ({ paused, timezone, next: [next] }, { instantText }) => {
        if (paused) return 'paused';
        return next === undefined ? 'never' : instantText(zonedInstant(next, timezone));
      },
      colour: (paint, { paused }) => (paused ? paint.yellow : (text) => text),
    },
    {
      title: 'REFUSED',
      value: ({ refused }, { instantText }) =>
        refused === undefined ? '' : `${instantText(refused.instant)}: ${refused.reason}`,
      colour: (paint) => paint.red,
      canShrink: true,
      wraps: true,
    },
  ],
  none: 'There are no schedules. Add one to a workflow with `schedule: CRON`, `every: 90m` or `at: TIME` under `on`.',
  examples: [['baton schedules ls', 'list schedules and their next times']],
});

const of = ['<schedule>', 'id of the schedule'] as const;

export const next = actOn({
  of,
  json: 'print the times as a JSON array',
  act: (client, id) => client.schedules.get(id),
  asJson: (schedule) => schedule.next,
  print: ({ id, next: instants, timezone, paused }, { stdout, stderr }) => {
    for (const instant of instants) stdout.line(oneLine(zonedInstant(instant, timezone)));
    if (paused) stderr.line(`The schedule is paused. Resume it: baton schedules resume ${id}`);
  },
  examples: [['baton schedules next SCHEDULE', 'show its next five times']],
});

export const pause = actOn({
  of,
  act: (client, id) => client.schedules.pause(id),
  done: 'Paused. Missed runs are not started later; use `baton schedules backfill`.',
  examples: [['baton schedules pause SCHEDULE', 'pause until `baton schedules resume`']],
});

export const resume = actOn({
  of,
  act: (client, id) => client.schedules.resume(id),
  done: ({ next: [instant] }) => (instant === undefined ? 'Resumed.' : `Resumed. The next run is at ${instant}.`),
  examples: [['baton schedules resume SCHEDULE', 'run at its next time again']],
});

export const trigger = actOn({
  of,
  json: 'print the started run and the next times as JSON',
  act: (client, id) => client.schedules.trigger(id),
  print: ({ id }, { stdout }) => stdout.line(oneLine(id)),
  examples: [['baton schedules trigger SCHEDULE', 'start a run now; the schedule stays as it is']],
});

export const backfill = actOn({
  of,
  options: (command) =>
    command
      .requiredOption('--from <instant>', 'the first time (RFC 3339); a date means its start, in UTC')
      .requiredOption('--to <instant>', 'the last time, in the past; a date includes the whole day, in UTC')
      .option('--preview', 'only list the times'),
  json: 'print the answer as JSON',
  act: (client, id, { options: { from, to, preview = false } }) => client.schedules.backfill(id, { from, to, preview }),
  print: ({ instants, queued }, { stdout, stderr, options: { preview } }) => {
    for (const instant of preview === true ? instants : queued) stdout.line(oneLine(zonedInstant(instant, 'UTC')));
    const others = instants.length - queued.length;
    if (preview !== true && others > 0)
      stderr.line(`${others} of ${instants.length} times ran before, and do not run again.`);
  },
  examples: [['baton schedules backfill SCHEDULE --from 2026-11-01 --to 2026-11-03 --preview', 'list missed times']],
});
