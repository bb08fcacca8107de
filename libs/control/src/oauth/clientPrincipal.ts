import type { Principal } from '../keys/scopes.ts';
import { type TokenRights, limitedTo } from './clientChoices.ts';

/** Who acts with an access token. `expiresAt`: of the token, epoch milliseconds; `name`: of the client. */
export function clientPrincipal(
  rights: TokenRights,
  expiresAt: number,
  name: string,
  client: NonNullable<Principal['client']>,
): Principal {
  const { holder, id } = client;
  return {
    id: `client ${id}`,
    name,
    by: holder.by,
    ...limitedTo(holder, rights),
    expiresAt: Math.min(expiresAt, holder.expiresAt ?? expiresAt),
    client,
  };
}
