/** The failure of a call whose connection ended, with what is known about the reason. */
import { FailureError } from '@baton/engine';
import { type JsonObject, defined } from '@baton/primitives';

import type { ProcessExit, LinkReport } from '../link/link.ts';

export const connectionLost = (report: LinkReport): FailureError =>
  new FailureError('connection-lost', `${sentenceOf(report)}${stderrOf(report)}`, {
    delivery: 'unknown',
    details: detailsOf(report),
  });

const sentenceOf = ({ peer, exit }: LinkReport): string =>
  exit === undefined ? `The connection to ${peer} broke.` : `The server ${peer} ${endOf(exit)}.`;

export const endOf = ({ code, signal }: ProcessExit): string =>
  signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`;

const shownCharacters = 1_000;

/** ` Its stderr ends: …`, or nothing. */
export function stderrOf({ stderr = '' }: LinkReport): string {
  if (stderr === '') return '';
  return ` Its stderr ends: ${stderr.length > shownCharacters ? `…${stderr.slice(1 - shownCharacters)}` : stderr}`;
}

/** ` It printed …`, or nothing. */
export function rubbishOf({ rubbish }: LinkReport): string {
  if (rubbish === undefined) return '';
  if (rubbish.lines === 0) return ` It printed on stdout, and did not end the line: ${rubbish.first}`;
  const lines = rubbish.lines === 1 ? 'one line' : `${rubbish.lines} lines`;
  return ` It printed ${lines} on stdout that are no JSON-RPC messages; the first is: ${rubbish.first}`;
}

export const detailsOf = ({ peer, pid, exit, stderr, rubbish }: LinkReport): JsonObject => ({
  peer,
  ...defined({ pid }),
  ...(exit === undefined ? {} : { exitCode: exit.code, signal: exit.signal }),
  ...(stderr === undefined || stderr === '' ? {} : { stderr }),
  ...defined({ rubbish }),
});
