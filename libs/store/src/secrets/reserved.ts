/** Names of what Baton itself keeps among the secrets. No reference can spell them: a secret's name holds no colon. */
export const reservedPrefix = 'oauth:';

export const isReserved = (name: string): boolean => name.startsWith(reservedPrefix);
