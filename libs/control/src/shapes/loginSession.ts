import { type Session, instant } from '@baton/api';

import type { SessionPrincipal } from '../keys/loginSessions.ts';

export const shownLoginSession = ({ id, name, scopes, workflows, effects, session }: SessionPrincipal): Session => ({
  id: session.id,
  key: { id, name },
  scopes: [...scopes],
  ...(workflows && { workflows: [...workflows] }),
  ...(effects && { effects }),
  expiresAt: instant(session.expiresAt),
});
