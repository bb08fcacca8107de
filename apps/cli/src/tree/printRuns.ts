import type { RunInList } from '@baton/api/client';
import { durationText } from '@baton/primitives';

import type { Context } from '../context.ts';
import { shortIds, shortLength } from '../output/shortId.ts';
import { type Column, printTable } from '../output/table.ts';
import { instantOf } from '../output/time.ts';
import { colourOf, glyphOf } from './glyphs.ts';

export function printRuns({ stdout, stderr }: Context, runs: readonly RunInList[]): void {
  if (runs.length === 0) return stderr.line('No runs found. Start one with `baton run NAME`.');
  const nowMs = Date.now();
  const forPeople = stdout.isTerminal;
  const short = shortIds(runs.map(({ id }) => id));
  const columns: Column<RunInList>[] = [
    { title: 'ID', value: ({ id }) => (forPeople ? short(id) : id) },
    { title: 'WORKFLOW', value: (run) => nameOf(run, forPeople), canShrink: true },
    {
      title: 'STATUS',
      value: (run) => (forPeople ? `${glyphOf(run.status)} ${statusText(run)}` : run.status),
      colour: (paint, { status }) => colourOf(status, paint),
    },
    { title: 'CREATED', value: ({ createdAt }, { instantText }) => instantText(createdAt) },
    { title: 'TOOK', value: (run) => tookText(run, nowMs) },
    { title: 'FROM', value: (run) => (forPeople ? fromText(run) : run.trigger.kind) },
    ...(runs.some(({ spent }) => spent !== undefined) || !forPeople
      ? [{ title: 'COST', value: ({ spent }: RunInList) => costText(spent), dispensable: true as const }]
      : []),
  ];
  printTable(stdout, columns, runs);
}

/** A run that did its work, and not what it should, is no failure like others. */
function statusText({ status, error, retriedAs }: RunInList): string {
  const said = error?.code === 'not-achieved' || error?.code === 'not-verified' ? error.code : status;
  return retriedAs === undefined ? said : `${said}, retried`;
}

/** An inline workflow has no version. */
function nameOf({ workflow, version }: RunInList, forPeople: boolean): string {
  if (version != null) return `${workflow}@${version}`;
  return forPeople ? `${workflow} (inline)` : workflow;
}

/** What started it; for a child run or a rerun, which run. */
function fromText({ trigger, parent, rerunOf }: RunInList): string {
  const other = parent?.runId ?? rerunOf;
  return other === undefined
    ? trigger.kind
    : `${parent === undefined ? trigger.kind : 'run'} ${other.slice(0, shortLength)}`;
}

/** Dollars, or the tokens of models without a price. */
function costText(spent: RunInList['spent']): string {
  if (spent === undefined) return '';
  return spent.usd === undefined ? `${spent.tokens.toLocaleString('en')} tokens` : `$${spent.usd.toFixed(4)}`;
}

function tookText({ startedAt, endedAt }: RunInList, nowMs: number): string {
  const from = instantOf(startedAt);
  return from === undefined ? '' : durationText((instantOf(endedAt) ?? nowMs) - from);
}
