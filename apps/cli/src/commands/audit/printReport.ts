/** Prints the report of a verification, and for an export what it proves and what it does not. */
import { cleanText } from '@baton/primitives';
import type { AuditReport } from '@baton/store';

import type { Context } from '../../context.ts';
import { plural } from '../../output/text.ts';

/** `server`: its database; `key`: an export, with a key from elsewhere; `no key`: an export by itself. */
export type VerifiedWith = 'server' | 'key' | 'no key';

export function printReport({ stdout }: Context, report: AuditReport, verifiedWith: VerifiedWith): void {
  const { isIntact, problem, checkpoint, signedBy, begun, warnings } = report;
  const { green, red, yellow } = stdout.paint;
  if (isIntact) stdout.line(`${green('intact')}: ${countsOf(report)}`);
  else stdout.line(`${red(problem?.kind ?? 'wrong')}: ${cleanText(problem?.where ?? '')}. ${problem?.message ?? ''}`);
  for (const warning of warnings) stdout.line(`${yellow('warning')}: ${cleanText(warning)}`);
  if (!isIntact) return;
  if (signedBy !== undefined) stdout.line(`signed by: ${cleanText(signedBy)}`);
  if (begun !== undefined) stdout.line(`since: entry ${begun.entry}, ${cleanText(begun.at)}`);
  if (verifiedWith !== 'server') for (const line of proofLines(report, verifiedWith)) stdout.line(line);
  if (checkpoint.seal > 0) stdout.line(`checkpoint: ${checkpoint.seal}:${checkpoint.hash}`);
}

function countsOf({ entries, seals, runs, events, removed }: AuditReport): string {
  const gone =
    removed === 0 ? '' : `; ${plural(removed, 'run')} ${removed === 1 ? 'was' : 'were'} removed by retention`;
  return `${plural(events, 'event')} of ${plural(runs, 'run')}, ${entries} ${entries === 1 ? 'entry' : 'entries'}, ${plural(seals, 'seal')}${gone}`;
}

function proofLines(
  { entries, events, seals, signedBy, checkpoint }: AuditReport,
  verifiedWith: Exclude<VerifiedWith, 'server'>,
): string[] {
  const isVoid = entries === 0 && events === 0;
  const agrees = isVoid
    ? 'the export is whole, and holds no event and no entry: there is nothing else to verify'
    : 'the records agree with their hashes, seals and the digest of the file';
  if (verifiedWith === 'key' && seals > 0 && signedBy !== undefined)
    return [
      `shown: ${agrees}; seal ${checkpoint.seal} is signed with the given key, and vouches for the seals before it`,
      'not shown: what has no seal yet is by this Baton; for that its server checks marks: baton audit verify',
    ];
  if (verifiedWith === 'key')
    return [`shown: ${agrees}`, 'not shown: who made the export, since without a seal nothing in it is signed'];
  const own = signedBy === undefined ? '' : ', since the signature was checked only with the key in the export itself';
  return [
    `shown: ${agrees}`,
    `not shown: who made the export${own}; name a key from a source you trust: --key FILE (see baton audit key)`,
  ];
}
