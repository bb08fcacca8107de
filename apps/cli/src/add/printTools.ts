/** `baton add`: prints the tools of a server that was tried. */
import type { Effect } from '@baton/language';

import type { Context } from '../context.ts';
import { printTable } from '../output/table.ts';

export interface ToolRow {
  readonly tool: string;
  readonly effect: Effect;
  readonly description: string;
}

/** A person gets the first tools of a long list, and how to see all; a program gets all. */
export function printTools(
  { stdout, stderr }: Pick<Context, 'stdout' | 'stderr'>,
  name: string,
  rows: readonly ToolRow[],
): void {
  const isShortened = stdout.isTerminal && rows.length > toolsMax;
  printTable(
    stdout,
    [
      { title: 'TOOL', value: ({ tool }) => tool },
      { title: 'EFFECT', value: ({ effect }) => effect },
      { title: 'DESCRIPTION', value: ({ description }) => description, canShrink: true },
    ],
    isShortened ? rows.slice(0, toolsShown) : rows,
  );
  if (!isShortened) return;
  const counts = Map.groupBy(rows, ({ effect }) => effect);
  const effects = [...counts].map(([effect, { length }]) => `${length} ${effect}`).join(', ');
  stderr.line(`… and ${rows.length - toolsShown} more: ${rows.length} tools, ${effects}.`);
  stderr.line(`All of them, while \`baton dev\` runs: ${stderr.paint.bold(`baton servers tools ${name}`)}`);
}

/** A list that is a little longer than what is shown is shown whole. */
const toolsMax = 25;
const toolsShown = 20;
