import type { Grant } from '@baton/api/client';

/** `author on payments/*, at most read` */
export function grantText({ role, on, effects, from }: Grant): string {
  const where = on === undefined ? '' : ` on ${on.join(' ')}`;
  const limit = effects === undefined ? '' : `, at most ${effects}`;
  return `${role}${where}${limit}${from === 'claims' ? ' (claims)' : ''}`;
}
