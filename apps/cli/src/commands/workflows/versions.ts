import type { WorkflowVersion } from '@baton/api/client';
import type { Command } from 'commander';

import type { Context } from '../../context.ts';
import type { Column } from '../../output/table.ts';
import { instantTextFor } from '../../output/time.ts';
import { countArgument } from '../arguments.ts';
import { addExamples } from '../examples.ts';

type VersionRow = Pick<WorkflowVersion, 'id' | 'version' | 'deployedAt' | 'deployedBy' | 'digest'>;

const columnsFor = (instantText: (instant: string) => string): readonly Column<VersionRow>[] => [
  { title: 'VERSION', value: ({ version }) => String(version) },
  { title: 'DEPLOYED', value: ({ deployedAt }) => instantText(deployedAt) },
  { title: 'BY', value: ({ deployedBy }) => deployedBy },
  { title: 'DIGEST', value: ({ digest }) => digest, canShrink: true },
];

export function define(command: Command, context: Context): void {
  command
    .argument('<workflow>', 'name of the workflow')
    .option('--limit <count>', 'print at most this many versions', countArgument, 20)
    .option('--json', 'print them as a JSON array')
    .action(async (workflow: string, { limit, json = false }: { readonly limit: number; readonly json?: boolean }) => {
      const client = await context.client(command.optsWithGlobals());
      const newest = await client.workflows.get(workflow);
      const rows: VersionRow[] = [];
      for (let number = newest.version; number >= 1 && rows.length < limit; number -= 1) {
        const version = number === newest.version ? newest : await client.workflows.version(workflow, number);
        const { id, deployedAt, deployedBy, digest } = version;
        rows.push({ id, version: number, deployedAt, deployedBy, digest });
      }
      const { printList } = await import('../../output/printList.ts');
      printList(context, rows, { columns: columnsFor(instantTextFor(context.stdout)), asJson: json, none: '' });
    });
  addExamples(command, [
    ['baton workflows versions brief', 'list its versions, newest first'],
    ['baton workflows show brief@2 --source', 'print the text of one version'],
  ]);
}
