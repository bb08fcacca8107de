import type { JsonObject } from '@baton/primitives';

import { writableName } from '../keys/actor.ts';

const nameCharacters = 100;

/** How people see someone of an identity provider: by name or address; who they are, the issuer and the subject say. */
export function accountName(claims: JsonObject, subject: string): string {
  const given = ['name', 'email', 'preferred_username'].map((claim) => claims[claim]);
  const names = [...given, subject].map((one) => (typeof one === 'string' ? writableName(one, nameCharacters) : ''));
  return names.find((name) => name !== '') ?? 'nameless';
}
