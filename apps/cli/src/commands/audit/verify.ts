import type { AuditReport, Checkpoint } from '@baton/store';

import { CommandError } from '../../commandError.ts';
import type { Context } from '../../context.ts';
import { exitCodes } from '../../exitCodes.ts';
import { jsonText } from '../../output/json.ts';
import { commandOf } from '../defineCommand.ts';
import { printReport } from './printReport.ts';

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
