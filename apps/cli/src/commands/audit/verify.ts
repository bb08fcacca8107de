import { cleanText } from '@baton/primitives';
import type { AuditReport, Checkpoint } from '@baton/store';

import { CommandError } from '../../commandError.ts';
import type { Context } from '../../context.ts';
import { exitCodes } from '../../exitCodes.ts';
import { jsonText } from '../../output/json.ts';
import { plural } from '../../output/text.ts';
import { commandOf } from '../defineCommand.ts';

export const define = commandOf({
  form: (command) =>
    command
      .argument('[file]', 'an export to verify offline; without it, the server verifies its database')
      .option(
        '--checkpoint <seal:hash>',
        'the checkpoint of an earlier verification: everything up to it must be present',
      )
      .option('--key <file>', 'the public key of the installation, from a source you trust: see baton audit key')
      .option('--json', 'print the report as JSON'),
  act: async (context, [file], { checkpoint: written, key, json }) => {
    if (file === undefined && key !== undefined)
      throw new CommandError(exitCodes.usage, '--key needs a file to verify: the server uses its own key.');
    const checkpoint = written === undefined ? undefined : checkpointIn(written);
    const { verifyFile } = await import('./verifyFile.ts');
    const report = await (file === undefined ? askServer(context, checkpoint) : verifyFile(file, checkpoint, key));
    const exportWith = key === undefined ? 'no key' : 'key';
    if (json === true) context.stdout.line(jsonText(report));
    else printReport(context, report, file === undefined ? 'server' : exportWith);
    if (!report.isIntact) return exitCodes.failed;
  },
  examples: [
    ['baton audit verify audit.ndjson --key baton-audit.pem', 'verify that an export is unchanged, and who signed it'],
    ['baton audit verify --checkpoint 12:4f0c…', 'verify the database against an earlier checkpoint'],
  ],
});

function checkpointIn(text: string): Checkpoint {
  const [, seal, hash] = /^(\d{1,9}):([\da-f]{64})$/.exec(text) ?? [];
  if (seal !== undefined && hash !== undefined) return { seal: Number(seal), hash };
  throw new CommandError(exitCodes.usage, 'Write the checkpoint as <seal>:<hash>, as `baton audit verify` printed it.');
}

async function askServer(context: Context, checkpoint: Checkpoint | undefined): Promise<AuditReport> {
  const client = await context.client();
  const body = checkpoint === undefined ? {} : { checkpoint: { ...checkpoint } };
  const { json } = await client.connection.json('POST', '/v1/audit/verify', { body, timeoutMs: serverMs });
  return json as AuditReport;
}

/** Long, because the whole database is read. */
const serverMs = 30 * 60_000;

/** `server`: its database; `key`: an export, with a key from elsewhere; `no key`: an export by itself. */
type VerifiedWith = 'server' | 'key' | 'no key';

function printReport({ stdout }: Context, report: AuditReport, verifiedWith: VerifiedWith): void {
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
