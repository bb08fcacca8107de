import type { Json } from '@baton/language';

import type { ShownRun } from '../client/runs.ts';
import type { Context } from '../context.ts';
import { colourOf, glyphOf } from '../tree/glyphs.ts';
import { jsonText } from './json.ts';
import type { Column } from './table.ts';
import { printTable } from './table.ts';
import { agoText, durationText, instantOf } from './time.ts';

export function printRuns({ stdout, stderr }: Context, runs: readonly ShownRun[], asJson: boolean): void {
  if (asJson) return stdout.line(jsonText(runs as unknown as Json));
  if (runs.length === 0) return stderr.line('There are no such runs. `baton run NAME` starts one.');
  const nowMs = Date.now();
  const forPeople = stdout.isTerminal;
  const columns: Column<ShownRun>[] = [
    { title: 'ID', value: ({ id }) => id },
    { title: 'WORKFLOW', value: nameOf, gives: true },
    {
      title: 'STATUS',
      value: ({ status }) => (forPeople ? `${glyphOf(status)} ${status}` : status),
      colour: (paint, { status }) => colourOf(status, paint),
    },
    { title: 'CREATED', value: (run) => (forPeople ? createdText(run, nowMs) : run.createdAt) },
    { title: 'TOOK', value: (run) => tookText(run, nowMs) },
  ];
  printTable(stdout, columns, runs);
}

const nameOf = ({ workflow, version }: ShownRun): string => (version == null ? workflow : `${workflow}@${version}`);

function createdText({ createdAt }: ShownRun, nowMs: number): string {
  const at = instantOf(createdAt);
  return at === undefined ? createdAt : agoText(at, nowMs);
}

function tookText({ startedAt, endedAt }: ShownRun, nowMs: number): string {
  const from = instantOf(startedAt);
  return from === undefined ? '' : durationText((instantOf(endedAt) ?? nowMs) - from);
}
