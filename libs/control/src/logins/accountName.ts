import type { JsonObject } from '@baton/primitives';

const nameCharacters = 100;

/** How people see someone of an identity provider: by name or address; who they are, the issuer and the subject say. */
export function accountName(claims: JsonObject, subject: string): string {
  const given = ['name', 'email', 'preferred_username'].map((claim) => claims[claim]);
  const names = [...given, subject].map((one) => (typeof one === 'string' ? writable(one) : ''));
  return names.find((name) => name !== '') ?? 'nameless';
}

/** Without what the texts of the audit keep for themselves, and without what cannot be seen. */
const writable = (text: string): string =>
  text
    .normalize('NFKC')
    .replaceAll(/[()\p{C}]/gu, '')
    .trim()
    .slice(0, nameCharacters)
    .toWellFormed();
