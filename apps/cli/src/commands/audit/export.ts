import { once } from 'node:events';
import { open, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

import { defined } from '@baton/primitives';

import { CommandError } from '../../commandError.ts';
import type { Context } from '../../context.ts';
import { exitCodes } from '../../exitCodes.ts';
import { whyOf } from '../../output/fileFault.ts';
import { commandOf } from '../defineCommand.ts';

export const define = commandOf({
  form: (command) =>
    command
      .option('-o, --output <file>', 'write to this new file; the default is stdout')
      .option('--unsealed', 'include the journals of unfinished runs')
      .option('--from <instant>', 'only records sealed from this time on: 2026-11-17, or RFC 3339')
      .option('--to <instant>', 'only records sealed before this time; a date includes the whole day, in UTC'),
  act: async (context, _, { output, unsealed, from, to }) => {
    const client = await context.client();
    const query = defined({ unsealed, from: from || undefined, to: to || undefined });
    const headers = { accept: 'application/x-ndjson' };
    const response = await client.connection.open('/v1/audit/export', { query, headers });
    const body = response.body ?? new ReadableStream();
    if (output === undefined) return print(context, Readable.fromWeb(body));
    await write(output, body);
    context.stderr.line(`The audit trail is in ${output}. Verify it: baton audit verify ${output}`);
  },
  examples: [
    ['baton audit export -o audit.ndjson', 'export the whole audit trail'],
    ['baton audit export | jq \'select(.type == "entry")\'', 'show who changed the installation'],
  ],
});

async function print({ stdout: { stream } }: Context, lines: Readable): Promise<void> {
  try {
    for await (const chunk of lines) if (!stream.write(chunk as Buffer)) await once(stream, 'drain');
  } catch (cause) {
    throw brokenOff(cause, 'what was printed is not the whole trail');
  }
}

async function write(file: string, body: ReadableStream): Promise<void> {
  const target = await open(file, 'wx', 0o600).catch((cause: NodeJS.ErrnoException) => {
    body.cancel().catch(() => undefined);
    const message =
      cause.code === 'EEXIST' ? `The file ${file} already exists.` : `${file} cannot be written: ${whyOf(cause)}.`;
    throw new CommandError(exitCodes.usage, message, { cause });
  });
  try {
    await pipeline(Readable.fromWeb(body), target.createWriteStream());
  } catch (cause) {
    // A part of the trail would pass for the trail, and be in the way of the next try.
    await rm(file, { force: true });
    throw brokenOff(cause, `${file} was removed, since it was not whole; export again`);
  }
}

/** The disk is full, or Baton stopped. */
function brokenOff(cause: unknown, hint: string): CommandError {
  const isOfFile = cause instanceof Error && (cause as NodeJS.ErrnoException).syscall === 'write';
  const code = isOfFile ? exitCodes.usage : exitCodes.unreachable;
  const why = isOfFile ? whyOf(cause) : 'the connection to Baton was lost';
  return new CommandError(code, `The export broke off: ${why}.`, { cause, hint });
}
