import type { WorkflowInList } from '@baton/api/client';
import type { Command } from 'commander';

import type { Context } from '../../context.ts';
import type { Column } from '../../output/table.ts';
import { instantTextFor } from '../../output/time.ts';
import { addExamples } from '../examples.ts';

const columnsFor = (instantText: (instant: string) => string): readonly Column<WorkflowInList>[] => [
  { title: 'NAME', value: ({ id }) => id },
  { title: 'VERSION', value: ({ version }) => String(version) },
  {
    title: 'STATE',
    value: ({ pausedAt }) => (pausedAt === undefined ? 'active' : 'paused'),
    colour: (paint, { pausedAt }) => (pausedAt === undefined ? paint.green : paint.yellow),
  },
  { title: 'DEPLOYED', value: ({ deployedAt }) => instantText(deployedAt) },
  { title: 'TITLE', value: ({ title = '' }) => title, canShrink: true },
];

export function define(command: Command, context: Context): void {
  command
    .option('--json', 'print them as a JSON array')
    .action(async ({ json = false }: { readonly json?: boolean }) => {
      const client = await context.client(command.optsWithGlobals());
      const workflows = await Array.fromAsync(client.workflows.all());
      const { printList } = await import('../../output/printList.ts');
      const none = 'No workflow is deployed. Deploy one: baton deploy FILE';
      printList(context, workflows, { columns: columnsFor(instantTextFor(context.stdout)), asJson: json, none });
    });
  addExamples(command, [['baton workflows ls', 'list deployed workflows']]);
}
