/** A process cannot start, for a reason that its operator can correct: one sentence, without a stack. */
export class StartError extends Error {
  override readonly name = 'StartError';
}

/** Another process listens where the API should. */
export class PortTakenError extends StartError {
  constructor({ host, port }: { readonly host: string; readonly port: number }, options?: ErrorOptions) {
    super(`port ${port} on ${host} is taken: set BATON_PORT to another one, or to 0 for any that is free`, options);
  }
}

/**
 * Error codes that an operator can correct: unreachable, unknown host, login refused, no such database, too many
 * connections.
 */
const mendable = /^(?:E(?:CONN|NOTFOUND|AI_|HOST|NET|TIMEDOUT|ACCES|NOENT)|28|3D000|53300|57P03)/;

/**
 * For the `catch` around a part that the process cannot start without. Throws a `StartError` if the operator can
 * correct the cause.
 */
export function cannotUse(what: string, setting: string): (error: unknown) => never {
  return (error) => {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (!(error instanceof Error) || !mendable.test(code)) throw error;
    // Where several addresses were tried in vain, the error of them all has no text.
    const why = error.message === '' ? code : error.message;
    throw new StartError(`${what} cannot be used: ${why}. Is it there, and is ${setting} right?`, { cause: error });
  };
}

/**
 * The message of a process whose secret key is not the installation's. The ids are those of the matching public keys.
 */
export const otherKeyMessage = (own: string, installation: string): string =>
  `this process has another secret key (${own}) than the installation that the database belongs to (${installation}): ` +
  'its events would count as forged. Give it the same BATON_SECRET_KEY or the same BATON_DATA; ' +
  'to replace the key, set BATON_SECRET_KEY_BEFORE to the one before';
