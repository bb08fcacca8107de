/** A process cannot start, for a reason that its operator can correct: one sentence, without a stack. */
export class StartError extends Error {
  override readonly name = 'StartError';
}

/** For the `catch` around a part whose errors of this kind are written for operators. */
export const toldAs =
  (Kind: new (...values: never[]) => Error) =>
  (error: unknown): never => {
    throw error instanceof Kind ? new StartError(error.message, { cause: error }) : error;
  };

/**
 * Error codes that an operator can correct: unreachable, unknown host, login refused, no such database, no rights in
 * it, too many connections, a certificate that is not accepted.
 */
const mendable =
  /^(?:E(?:CONN|NOTFOUND|AI_|HOST|NET|TIMEDOUT|ACCES|NOENT|PROTO)|28|3D000|42501|53300|57P03|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|CERT_|ERR_(?:TLS|SSL)_)/;
/** The same of `pg`, which gives them no code. */
const mendableText = /does not support SSL connections|client password must be a string|timeout expired/;

/**
 * For the `catch` around a part that the process cannot start without. Throws a `StartError` if the operator can
 * correct the cause.
 */
export function cannotUse(what: string, setting: string): (error: unknown) => never {
  return (error) => {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (!(error instanceof Error) || !(mendable.test(code) || mendableText.test(error.message))) throw error;
    const why = reasonOf(error, code);
    throw new StartError(`${what} cannot be used: ${why}. Is it there, and is ${setting} right?`, { cause: error });
  };
}

function reasonOf({ message }: Error, code: string): string {
  // Where several addresses were tried in vain, the error of them all has no text.
  if (message === '') return code;
  if (message.includes('client password must be a string')) return 'it asks for a password, and the address has none';
  if (message === 'timeout expired') return 'nothing there answered as Postgres does (a firewall may be between)';
  return message;
}
