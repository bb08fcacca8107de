import type { Workflow, WorkflowInList, WorkflowStats, WorkflowVersion } from '@baton/api/client';
import { durationText } from '@baton/primitives';

import { countArgument, targetOf } from '../inputs/arguments.ts';
import { confirmed } from '../inputs/confirmed.ts';
import type { Paint } from '../output/output.ts';
import type { Column } from '../output/table.ts';
import { oneLine } from '../output/text.ts';
import { actOn, commandOf, listCommand, printRows } from './defineCommand.ts';

type State = 'active' | 'paused' | 'blocked' | 'tools changed';

/** `blocked`: its new runs are refused, because tools have changed. */
function stateOf({ pausedAt, drift }: WorkflowInList): State {
  if (drift?.blocked === true) return 'blocked';
  if (pausedAt !== undefined) return 'paused';
  return drift === undefined ? 'active' : 'tools changed';
}

const stateColours = ({ green, yellow, red }: Paint): Readonly<Record<State, (text: string) => string>> => ({
  active: green,
  paused: yellow,
  blocked: red,
  'tools changed': yellow,
});

export const ls = listCommand({
  json: 'print them as a JSON array',
  list: (client) => client.workflows.all(),
  columns: [
    { title: 'NAME', value: ({ id }) => id },
    { title: 'VERSION', value: ({ version }) => String(version) },
    {
      title: 'STATE',
      value: stateOf,
      colour: (paint, workflow) => stateColours(paint)[stateOf(workflow)],
    },
    { title: 'DEPLOYED', value: ({ deployedAt }, { instantText }) => instantText(deployedAt) },
    { title: 'TITLE', value: ({ title = '' }) => title, canShrink: true },
  ],
  none: 'No workflow is deployed. Deploy one: baton deploy FILE',
  note: (workflows, { stderr: { paint } }) => {
    const servers = [...new Set(workflows.flatMap(({ drift }) => drift?.servers ?? []))];
    if (servers.length === 0) return undefined;
    const commands = servers.map((server) => `baton servers approve ${server} --preview`);
    return paint.yellow(oneLine(`Tools have changed since workflows were checked: ${commands.join(', ')}`));
  },
  examples: [['baton workflows ls', 'list deployed workflows']],
});

const of = ['<workflow>', 'name of the workflow'] as const;

export const show = actOn({
  of: ['<workflow>', 'name of the workflow (name@3 for version 3; else the newest)'],
  options: (command) => command.option('--source', 'print the text as it was deployed'),
  json: 'print it as JSON',
  act: (client, written): Promise<Workflow | WorkflowVersion> => {
    const { workflow, version } = targetOf(written);
    return client.workflows.version(workflow, version);
  },
  print: async (workflow, { stdout, options: { source } }) => {
    if (source === true) {
      const { cleanText } = await import('@baton/primitives');
      // A program gets the text as it is; a terminal gets no control characters.
      const text = stdout.isTerminal ? cleanText(workflow.source) : workflow.source;
      return stdout.line(text.replace(/\n$/, ''));
    }
    const { drawWorkflow } = await import('../workflows/drawWorkflow.ts');
    for (const line of drawWorkflow(workflow, stdout)) stdout.line(line);
  },
  examples: [
    ['baton workflows show brief', 'show its triggers and inputs'],
    ['baton workflows show brief --source', 'print its text'],
    ['baton workflows show brief@2 --source | baton deploy -', 'roll back'],
  ],
});

const statsColumns: readonly Column<WorkflowStats>[] = [
  { title: 'RUNS', value: ({ runs }) => `${runs.length}` },
  {
    title: 'OF THEM',
    value: ({ counts, notAchieved }) =>
      Object.entries(counts)
        .map(([status, count]) => `${count} ${status}`)
        .concat(notAchieved === undefined ? [] : [`${notAchieved} of these not-achieved`])
        .join(', '),
    canShrink: true,
  },
  { title: 'P50', value: ({ p50Ms }) => (p50Ms === undefined ? '' : durationText(p50Ms)) },
  { title: 'P95', value: ({ p95Ms }) => (p95Ms === undefined ? '' : durationText(p95Ms)) },
];

export const stats = actOn({
  of,
  json: 'print them as JSON, with the runs',
  act: (client, workflow) => client.workflows.stats(workflow),
  print: (ofRuns, { context }) =>
    printRows(context, ofRuns.runs.length === 0 ? [] : [ofRuns], {
      columns: statsColumns,
      none: `The workflow has no runs. Start one: baton run ${ofRuns.id}`,
    }),
  examples: [
    ['baton workflows stats brief', 'show outcomes and durations of its last 50 runs'],
    ["baton workflows stats brief --jq '.p95Ms'", 'print only the 95th percentile of the durations'],
  ],
});

type VersionRow = Pick<WorkflowVersion, 'id' | 'version' | 'deployedAt' | 'deployedBy' | 'digest'>;

export const versions = listCommand({
  of,
  options: (command) => command.option('--limit <count>', 'print at most this many versions', countArgument, 20),
  json: 'print them as a JSON array',
  list: async (client, { limit }, workflow) => {
    const newest = await client.workflows.get(workflow);
    const rows: VersionRow[] = [];
    for (let number = newest.version; number >= 1 && rows.length < limit; number -= 1) {
      const version = number === newest.version ? newest : await client.workflows.version(workflow, number);
      const { id, deployedAt, deployedBy, digest } = version;
      rows.push({ id, version: number, deployedAt, deployedBy, digest });
    }
    return rows;
  },
  columns: [
    { title: 'VERSION', value: ({ version }) => String(version) },
    { title: 'DEPLOYED', value: ({ deployedAt }, { instantText }) => instantText(deployedAt) },
    { title: 'BY', value: ({ deployedBy }) => deployedBy },
    { title: 'DIGEST', value: ({ digest }) => digest, canShrink: true },
  ],
  none: '',
  examples: [
    ['baton workflows versions brief', 'list its versions, newest first'],
    ['baton workflows show brief@2 --source', 'print the text of one version'],
  ],
});

export const pause = actOn({
  of,
  act: (client, workflow) => client.workflows.pause(workflow),
  done: (_, workflow) =>
    `No trigger starts ${workflow} until \`baton workflows resume ${workflow}\`. Its runs continue.`,
  examples: [['baton workflows pause morning-brief', 'stop schedules, webhooks and other triggers from starting it']],
});

export const resume = actOn({
  of,
  act: (client, workflow) => client.workflows.resume(workflow),
  done: (_, workflow) => `Triggers start ${workflow} again.`,
  examples: [['baton workflows resume morning-brief', 'let triggers start it again']],
});

const remove = commandOf({
  form: (command) => command.argument(...of).option('-y, --yes', 'do not ask'),
  act: async (context, [name], { yes }) => {
    const { startersOf } = await import('../workflows/startersOf.ts');
    const client = await context.client();
    const { id, version, source } = await client.workflows.get(name);
    const { stderr } = context;
    const starters = startersOf(source) ?? [];
    stderr.line(
      `${id}@${version} can then no longer be started. Its started runs continue, and its versions are kept.`,
    );
    if (starters.length > 0) stderr.line('These no longer start it:');
    for (const starter of starters) stderr.line(`  ${oneLine(starter)}`);
    if (yes !== true)
      await confirmed(context, {
        question: `Delete the workflow ${id}?`,
        refusal: `This would delete the workflow ${id}, and there is no terminal to confirm it on.`,
        hint: 'add --yes',
        declined: 'Nothing was deleted.',
      });
    await client.workflows.delete(id);
    stderr.line(`The workflow ${id} is deleted. To start it again, deploy its text again.`);
  },
  examples: [
    ['baton workflows delete brief', 'show the consequences, ask, and delete the workflow'],
    ['baton workflows delete brief --yes', 'delete it without asking'],
  ],
});
export { remove as delete };
