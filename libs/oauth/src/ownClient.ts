/** Baton's own command as a client: public, known to every installation, and asked about like all others. */
import type { ClientMetadata } from 'oidc-provider';

export const ownClientId = 'baton-cli';

/** Where its browser goes on; the port is free (RFC 8252, section 7.3). */
const ownRedirectUri = 'http://127.0.0.1/';

/** Only Baton's command may log in without a browser of its own: whose code a person types is then known. */
export const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';

export const ownClient: ClientMetadata = {
  client_id: ownClientId,
  client_name: 'The baton command',
  redirect_uris: [ownRedirectUri],
  grant_types: ['authorization_code', 'refresh_token', deviceGrant],
};
