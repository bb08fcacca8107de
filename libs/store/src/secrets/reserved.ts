/** Prefix of Baton's own values among the secrets. No reference can name them: a secret's name has no colon. */
export const reservedPrefix = 'oauth:';

export const isReserved = (name: string): boolean => name.startsWith(reservedPrefix);
