/** Why an identity provider did not say who a person is. */
import {
  AuthorizationResponseError,
  ClientError,
  ResponseBodyError,
  WWWAuthenticateChallengeError,
} from 'openid-client';

/**
 * `away`: it was not reached, or could not answer. `ended`: it does not vouch for the person any more. `refused`: the
 * person, or the provider, did not agree. `wrong`: it is not set up as the settings say, or its answer is not for us.
 */
export type ProviderFaultKind = 'away' | 'ended' | 'refused' | 'wrong';

/** The message is a whole sentence, for the person and for who set it up. It has no secret. */
export class ProviderFault extends Error {
  override readonly name = 'ProviderFault';
  readonly kind: ProviderFaultKind;

  constructor(kind: ProviderFaultKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}

/** Of what the library throws; another error is a bug, and stays as it is. */
export function providerFault(error: unknown, host: string): unknown {
  if (error instanceof ProviderFault) return error;
  // The library wraps what its `fetch` throws.
  if (error instanceof Error && error.cause instanceof ProviderFault) return error.cause;
  const { kind, message } = explained(error, host) ?? {};
  return kind === undefined ? error : new ProviderFault(kind, message ?? '', { cause: error });
}

interface Explained {
  readonly kind: ProviderFaultKind;
  readonly message: string;
}

function explained(error: unknown, host: string): Explained | undefined {
  if (error instanceof AuthorizationResponseError) return ofAuthorization(error.error, host);
  if (error instanceof ResponseBodyError) return ofToken(error.error, host);
  if (error instanceof WWWAuthenticateChallengeError) return ofChallenge(error, host);
  if (error instanceof ClientError) return byCode[error.code ?? '']?.(host) ?? strange(host);
  // The one error of `fetch`.
  return error instanceof TypeError && error.message === 'fetch failed' ? away(host) : undefined;
}

const away = (host: string): Explained => ({
  kind: 'away',
  message: `${host} cannot be reached. Try again in a moment.`,
});

const strange = (host: string): Explained => ({
  kind: 'away',
  message: `${host} did not answer as an identity provider does (OpenID Connect).`,
});

const mixedUp = (host: string): Explained => ({
  kind: 'wrong',
  message: `The answer is not one of ${host} to this log-in: its issuer, its audience or its nonce is another one.`,
});

/** By the codes of the library. */
const byCode: Readonly<Record<string, (host: string) => Explained>> = {
  OAUTH_TIMEOUT: away,
  OAUTH_ABORT: away,
  OAUTH_JWT_TIMESTAMP_CHECK_FAILED: (host) => ({
    kind: 'wrong',
    message: `By the clock of this machine, the answer of ${host} has expired, or is of the future. One of the two clocks is wrong.`,
  }),
  OAUTH_JWT_CLAIM_COMPARISON_FAILED: mixedUp,
  OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED: mixedUp,
  OAUTH_INVALID_RESPONSE: mixedUp,
};

function ofAuthorization(error: string, host: string): Explained {
  if (error === 'access_denied') return { kind: 'refused', message: `You were not let in at ${host}.` };
  return { kind: 'refused', message: `${host} did not log you in: ${named(error)}.` };
}

/** The provider does not give a token without the person, or to none any more. */
const endings: ReadonlySet<string> = new Set([
  'invalid_grant',
  'access_denied',
  'login_required',
  'interaction_required',
  'consent_required',
]);

function ofToken(error: string, host: string): Explained {
  if (endings.has(error))
    return { kind: 'ended', message: `${host} does not vouch for this log-in: it was used before, or has ended.` };
  if (error === 'invalid_client' || error === 'unauthorized_client')
    return {
      kind: 'wrong',
      message: `${host} does not know this Baton: BATON_OIDC_CLIENT_ID or BATON_OIDC_CLIENT_SECRET is wrong, or has expired.`,
    };
  return { kind: 'away', message: `${host} did not answer: ${named(error)}.` };
}

/** The address for tokens asks for the secret, that for user information for a token. */
const ofChallenge = ({ cause }: WWWAuthenticateChallengeError, host: string): Explained =>
  ofToken(cause.some(({ scheme }) => scheme === 'bearer') ? 'invalid_grant' : 'invalid_client', host);

/** Errors of OAuth are plain words. */
const named = (error: string): string => (/^[a-z_]{1,60}$/.test(error) ? error : 'for an unknown reason');
