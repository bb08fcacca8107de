/** Whose login at a server. Tokens, sessions and lists of one login serve no other. */
import type { RunPerson } from '@baton/engine';
import { loginOf } from '@baton/protocol';

export interface Login {
  /** Names it in storage, and in the address that a browser returns to. */
  readonly key: string;
  /** For people to read; undefined: only the browser that returns knows it. */
  readonly name: string | undefined;
}

export const loginOfPerson = ({ id, name }: RunPerson): Login => ({ key: loginOf(id), name });

/** `state` of a login in progress: all servers redirect to one address, so it names the server, and whose login it is. */
export const stateText = (server: string, login: string | undefined, random: string): string =>
  [server, ...(login === undefined ? [] : [login]), random].join('~');

/** What a `state` names. It is compared with the stored one as a whole before anything is done. */
export function readState(state: string): { readonly server: string; readonly login: Login | undefined } {
  const [server = '', login, random] = state.split('~');
  return { server, login: random === undefined || login === undefined ? undefined : { key: login, name: undefined } };
}

/** Who has to do what. */
export function loginHint(server: string, login: Login | undefined): string {
  const who = login === undefined ? 'A person' : (login.name ?? 'The person behind the run');
  return `${who} has to log in: baton servers login ${server}`;
}
