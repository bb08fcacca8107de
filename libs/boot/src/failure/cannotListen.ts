import { exitCodes, StartError } from './startError.ts';

export interface ListenPlace {
  readonly host: string;
  readonly port: number;
}

/** What the names of the settings for host and port begin with. */
type ListenSetting = 'BATON' | 'BATON_METRICS';

/** Another process listens where this one should. */
export class PortTakenError extends StartError {
  constructor({ host, port }: ListenPlace, options?: ErrorOptions, setting: ListenSetting = 'BATON') {
    super(`port ${port} on ${host} is taken: set ${setting}_PORT to another one, or to 0 for any that is free`, {
      ...options,
      exitCode: exitCodes.unavailable,
    });
  }
}

/** For the `catch` around `listen`. Throws a `StartError` if the operator can correct the cause. */
export function cannotListen(place: ListenPlace, setting: ListenSetting): (error: unknown) => never {
  return (error) => {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (code === 'EADDRINUSE') throw new PortTakenError(place, { cause: error }, setting);
    const advice = adviceOf(code, setting);
    if (advice === undefined) throw error;
    throw new StartError(`nothing can listen on port ${place.port} of ${place.host} (${code}): ${advice}`, {
      cause: error,
    });
  };
}

function adviceOf(code: string, setting: ListenSetting): string | undefined {
  if (code === 'EACCES') return `set ${setting}_PORT to one above 1023, or let this account open it`;
  if (!/^E(?:ADDRNOTAVAIL|AI_|NOTFOUND)/.test(code)) return undefined;
  return `set ${setting}_HOST to an address of this machine, or to 0.0.0.0 for all of them`;
}
