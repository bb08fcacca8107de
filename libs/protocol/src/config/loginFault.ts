/** What cannot be said of the logins of a server, beside what the form of `auth` excludes. */
import { membersOf } from '@baton/primitives';

export interface LoginFault {
  /** Below the server's entry. */
  readonly path: readonly string[];
  readonly message: string;
}

export function loginFault(
  kind: 'stdio' | 'remote' | 'builtin',
  entry: Readonly<Record<string, unknown>>,
): LoginFault | undefined {
  const auth = membersOf(membersOf(entry['baton'])['auth']);
  const at = (key: string, message: string): LoginFault => ({ path: ['baton', 'auth', key], message });
  if ('exchange' in auth) {
    return at(
      'exchange',
      'Baton does not exchange tokens (RFC 8693) yet: write "per": "person" in its place, and each person logs in once.',
    );
  }
  if (auth['per'] === undefined) return undefined;
  if (kind !== 'remote')
    return at('per', 'Only a server with a "url" has logins, so "per": "person" cannot stand here.');
  return hasFixedLogin(membersOf(entry['headers']))
    ? at('per', 'Its "Authorization" header is one login for all: leave out the header, or "per": "person".')
    : undefined;
}

/** Whether the configured headers are themselves a login, which is then that of all. */
export const hasFixedLogin = (headers: object): boolean =>
  Object.keys(headers).some((header) => header.toLowerCase() === 'authorization');
