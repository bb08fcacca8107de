/** Prefix of Baton's own values among the secrets. No reference can name them: a secret's name has no colon. */
export const reservedPrefix = 'oauth:';

export const isReserved = (name: string): boolean => name.startsWith(reservedPrefix);

/** No server and no digest of a person has it in its name. */
export const namePartMark = '~';

/** The name with which the value was sealed: what follows whose login it is says that the login has ended. */
export const sealedName = (name: string): string =>
  isReserved(name) ? name.split(namePartMark).slice(0, 2).join(namePartMark) : name;
