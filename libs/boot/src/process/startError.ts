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

/** Of sockets and of Postgres: not there, not found, not let in, no such database, too many already. */
const mendable = /^(?:E(?:CONN|NOTFOUND|AI_|HOST|NET|TIMEDOUT|ACCES|NOENT)|28|3D000|53300|57P03)/;

/** For the `catch` of what a process cannot start without. Throws a `StartError` where the operator can mend it. */
export function cannotUse(what: string, setting: string): (error: unknown) => never {
  return (error) => {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (!(error instanceof Error) || !mendable.test(code)) throw error;
    // Where several addresses were tried in vain, the error of them all has no text.
    const why = error.message === '' ? code : error.message;
    throw new StartError(`${what} cannot be used: ${why}. Is it there, and is ${setting} right?`, { cause: error });
  };
}

/** Of a process whose secret key is not the installation's. Ids are those of the public keys that go with them. */
export const otherKeyMessage = (own: string, installation: string): string =>
  `this process has another secret key (${own}) than the installation that the database belongs to (${installation}): ` +
  'its events would count as forged. Give it the same BATON_SECRET_KEY or the same BATON_DATA; ' +
  'to replace the key, set BATON_SECRET_KEY_BEFORE to the one before';
