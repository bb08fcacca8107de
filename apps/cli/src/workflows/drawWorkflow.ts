/** Formats a workflow for a terminal: its state, triggers and inputs. */
import type { Workflow, WorkflowVersion } from '@baton/api/client';

import { fieldLines } from '../output/fieldLines.ts';
import type { Output } from '../output/output.ts';
import { oneLine, wrap } from '../output/text.ts';
import { startersOf } from './startersOf.ts';

/** The newest version, or an older one, which has no title and no state. */
export function drawWorkflow(
  shown: Workflow | WorkflowVersion,
  { paint, columns }: Pick<Output, 'paint' | 'columns'>,
): string[] {
  const { id, version, source, inputs, deployedAt, deployedBy } = shown;
  const newest = 'createdAt' in shown ? shown : undefined;
  const width = columns() ?? 100;
  const title = newest?.title === undefined ? '' : `  ${oneLine(newest.title)}`;
  return [
    `${paint.bold(`${id}@${version}`)}${title}`,
    ...(newest?.description === undefined ? [] : wrap(oneLine(newest.description), width)),
    `${oneLine(deployedBy)} deployed it at ${deployedAt}.`,
    ...(deployedBy === provenBy ? proofLines(id, width) : []),
    ...(newest?.pausedAt === undefined
      ? []
      : [paint.yellow(`Paused since ${newest.pausedAt}: no trigger starts it. Resume: baton workflows resume ${id}`)]),
    '',
    ...starterLines(id, source),
    '',
    ...fieldLines(inputs, { heading: 'Inputs:', none: 'It takes no inputs.', dim: paint.dim }),
  ];
}

/** The author of the versions that a proof made. */
const provenBy = 'repinning';

const proofLines = (id: string, width: number): string[] =>
  wrap(
    `Its text is that of the version before: a tool changed, and a proof says that no call and no expression depends on that. What changed: baton audit ls --action tools.repinned --target ${id}`,
    width,
  );

function starterLines(id: string, source: string): string[] {
  const starters = startersOf(source);
  if (starters === undefined) return ['This version of the command cannot read its text, so its triggers are unknown.'];
  if (starters.length === 0) return [`Nothing starts it by itself. Start it: baton run ${id}`];
  return ['What starts it:', ...starters.map((starter) => `  ${oneLine(starter)}`)];
}
