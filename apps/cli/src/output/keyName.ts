/** The name of a key, which is written with its id in brackets. */
export const keyNameOf = (by: string): string => by.replace(/ \([^()]+\)$/, '');
