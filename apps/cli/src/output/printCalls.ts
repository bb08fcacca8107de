/** The calls of the audit, one a line. */
import type { AuditCall } from '@baton/api/client';

import type { Output } from './output.ts';
import { shortIds } from './shortId.ts';
import { type Column, printTable } from './table.ts';
import { keyNameOf } from './text.ts';

export function printCalls(stdout: Output, calls: readonly AuditCall[]): void {
  const forPeople = stdout.isTerminal;
  const short = shortIds(calls.map(({ run }) => run));
  printTable(
    stdout,
    [
      { title: 'AT', value: ({ at }, { instantText }) => instantText(at) },
      { title: 'WHO', value: ({ by }) => (forPeople ? keyNameOf(by) : by), most: 24 },
      { title: 'TOOL', value: calledAs, canShrink: true },
      { title: 'EFFECT', value: ({ effect = '' }) => effect, dispensable: true },
      { title: 'WORKFLOW', value: workflowOf, dispensable: true },
      { title: 'RUN', value: ({ run }) => (forPeople ? short(run) : run), dispensable: true },
      { title: 'STEP', value: ({ step }) => step, dispensable: true },
      { title: 'OUTCOME', value: ({ outcome }) => outcome },
      {
        title: 'TOOK',
        value: ({ durationMs }) => (durationMs === undefined ? '' : `${durationMs} ms`),
        dispensable: true,
      },
      ...(calls.some(({ login }) => login !== undefined) ? [loginColumn] : []),
    ],
    calls,
  );
}

/** Where people have logins of their own. */
const loginColumn: Column<AuditCall> = {
  title: 'LOGIN',
  value: ({ login = '' }, { isPerson }) => (isPerson ? keyNameOf(login) : login),
  most: 24,
  dispensable: true,
};

/** An inline workflow has no version. */
const workflowOf = ({ workflow, version }: AuditCall): string =>
  version === undefined ? workflow : `${workflow}@${version}`;

const calledAs = ({ server, tool, verb }: AuditCall): string => [server, tool ?? verb].filter(Boolean).join('/');

/** With all columns (RFC 4180). */
export function printCallsAsCsv(stdout: Output, calls: readonly AuditCall[]): void {
  stdout.line(csvColumns.map(([title]) => title).join(','));
  for (const call of calls) stdout.line(csvColumns.map(([, value]) => quoted(value(call))).join(','));
}

const csvColumns: readonly (readonly [title: string, value: (call: AuditCall) => string | number | undefined])[] = [
  ['at', ({ at }) => at],
  ['by', ({ by }) => by],
  ['workflow', workflowOf],
  ['run', ({ run }) => run],
  ['step', ({ step }) => step],
  ['attempt', ({ attempt }) => attempt],
  ['verb', ({ verb }) => verb],
  ['server', ({ server }) => server],
  ['tool', ({ tool }) => tool],
  ['effect', ({ effect }) => effect],
  ['argumentsSha256', ({ arguments: { sha256 } }) => sha256],
  ['arguments', ({ arguments: { preview } }) => preview],
  ['outcome', ({ outcome }) => outcome],
  ['durationMs', ({ durationMs }) => durationMs],
  ['login', ({ login }) => login],
];

/** A CSV field (RFC 4180). A text that a spreadsheet would take for a formula gets an apostrophe in front. */
function quoted(value: string | number | undefined): string {
  if (typeof value !== 'string') return String(value ?? '');
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
