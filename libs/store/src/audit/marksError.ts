import type { AuditProblem } from './auditProblem.ts';

/** A process must not start on this database: its message tells the operator why, and what to do. */
export class MarksError extends Error {
  override readonly name = 'MarksError';
}

const ifYou = 'If you did that, run `baton audit begin` with the settings of this process; if not, restore a backup.';

/** Nothing in a database that holds records says since when they have marks. */
export const unmarkedMessage = (isLate: boolean): string =>
  isLate
    ? 'the audit of this database is forged: it holds events or entries from after the day when Baton began to mark what ' +
      `it writes, and no entry says since when. That entry was removed, or the secret key is another one. ${ifYou}`
    : 'this database is from a Baton that marked nothing, and only its operator can say that what it holds is right: ' +
      'stop every process of that Baton, then run `baton audit begin` with the settings of this process';

/** Another database stood at this address, or the same one with other marks. */
export const replacedMessage = (file: string, at: string, isGone: boolean): string =>
  `the audit of this database was ${isGone ? 'removed' : 'begun anew'}: ${file} says that it began at ${at}. The database was ` +
  `emptied, or another one took its place. ${ifYou}`;

/** An older process would go on writing without marks. */
export const busyMessage =
  'Baton works on this database now: stop every orchestrator and every worker, then begin the audit';

/** The ids are those of the public keys. */
export const otherKeyMessage = (own: string, installation: string): string =>
  `this process has another secret key (${own}) than the installation that the database belongs to (${installation}): ` +
  'its events would count as forged. Give it the same BATON_SECRET_KEY or the same BATON_DATA; to replace the key, set ' +
  'BATON_SECRET_KEY_BEFORE to the one before. If that one is lost, run `baton audit begin` with the new one';

export const tamperedMessage = ({ kind, where, message }: AuditProblem): string =>
  `the secret key is not replaced, because the audit was changed (${kind}, ${where}: ${message}) Start with the key ` +
  'before, and see `baton audit verify`';
