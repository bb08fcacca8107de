/** Verifies an export offline. */
import { open, readFile } from 'node:fs/promises';

import { type AuditReport, type Checkpoint, type PublicKey, AuditVerifier, readPublicKey } from '@baton/store';

import { CommandError } from '../../commandError.ts';
import { exitCodes } from '../../exitCodes.ts';
import { whyOf } from '../../output/fileFault.ts';

/** Rejects with `CommandError` if a file cannot be read or is no export, or the key is invalid. */
export async function verifyFile(
  file: string,
  checkpoint: Checkpoint | undefined,
  keyFile: string | undefined,
): Promise<AuditReport> {
  const publicKey = keyFile === undefined ? undefined : await readKey(keyFile);
  const handle = await open(file).catch((cause: NodeJS.ErrnoException) => {
    const isMissing = cause.code === 'ENOENT';
    const message = isMissing ? `The file ${file} does not exist.` : `${file} cannot be read: ${whyOf(cause)}.`;
    throw new CommandError(isMissing ? exitCodes.notFound : exitCodes.usage, message, { cause });
  });
  const verifier = new AuditVerifier({ checkpoint, publicKey });
  let isEmpty = true;
  for await (const line of handle.readLines()) {
    isEmpty &&= line.trim() === '';
    verifier.takeLine(line);
  }
  if (!verifier.hasRecords) {
    const why = isEmpty ? 'it is empty' : 'none of its lines is a record of an audit trail';
    throw new CommandError(exitCodes.usage, `${file} is no export of an audit trail: ${why}.`, {
      hint: 'baton audit export -o FILE writes one',
    });
  }
  return verifier.report({ isFile: true });
}

async function readKey(file: string): Promise<PublicKey> {
  const text = await readFile(file, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    throw new CommandError(exitCodes.notFound, `${file} cannot be read: ${whyOf(cause)}.`, { cause });
  });
  const key = readPublicKey(text);
  if (key === undefined)
    throw new CommandError(
      exitCodes.usage,
      `${file} is not an Ed25519 public key in PEM; \`baton audit key\` prints one.`,
    );
  return key;
}
