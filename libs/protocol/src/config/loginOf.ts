import { digestOf } from '../catalogue/digestOf.ts';

/** Names the logins of a person, by the id that journals write, without telling who that is. */
export const loginOf = (personId: string): string => digestOf(['login', personId]).slice(0, 32);
