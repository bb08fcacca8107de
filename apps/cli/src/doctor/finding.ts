/** The result of one check. */
export interface DoctorFinding {
  /** `settings`, `api`, `postgres`, `queue`, `key`, or `server NAME`. */
  readonly what: string;
  /** `odd`: it works, but deserves attention. */
  readonly state: 'ok' | 'odd' | 'wrong';
  readonly message: string;
  /** What to do. */
  readonly hint?: string;
}

export const ok = (what: string, message: string): DoctorFinding => ({ what, state: 'ok', message });

export const odd = (what: string, message: string, hint?: string): DoctorFinding => ({
  what,
  state: 'odd',
  message,
  ...(hint === undefined ? {} : { hint }),
});

export const wrong = (what: string, message: string, hint?: string): DoctorFinding => ({
  ...odd(what, message, hint),
  state: 'wrong',
});
