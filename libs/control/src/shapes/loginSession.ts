import { type Session, instant } from '@baton/api';

import type { SessionPrincipal } from '../keys/loginSessions.ts';

export const shownLoginSession = ({
  id,
  name,
  actor,
  scopes,
  workflows,
  effects,
  session,
}: SessionPrincipal): Session => ({
  id: session.id,
  ...(actor?.kind === 'person' && actor.via === undefined ? { person: { id, name } } : { key: { id, name } }),
  scopes: [...scopes],
  ...(workflows && { workflows: [...workflows] }),
  ...(effects && { effects }),
  expiresAt: instant(session.expiresAt),
});
