import type { AskedAssertion, AssertedGrant } from './assertionGrant.ts';
import type { OAuthRecords } from './oauthRecords.ts';

export interface AuthorizationServerOptions {
  /** Origin and path prefix, without a slash at the end. */
  readonly issuer: string;
  readonly records: OAuthRecords;
  /** They sign cookies; the first one makes new ones. */
  readonly cookieKeys: readonly string[];
  /** All scopes of all resources. */
  readonly scopes: readonly string[];
  /** The scopes of a resource of this issuer; undefined: it is none. */
  readonly scopesOf: (resource: string) => readonly string[] | undefined;
  /** Fetches documents that clients name. It refuses inner addresses, and limits size and time. */
  readonly fetch: typeof fetch;
  /** Whether clients may register themselves. */
  readonly mayRegister: boolean;
  /**
   * Asked once by a request, before the document of a client that is not cached is fetched. Resolves to a sentence that
   * says why it is not. `address`: of the request.
   */
  readonly refusalToFetch: (clientId: string, address: string) => Promise<string | undefined>;
  /** Whether the account may still be used by the agreement. */
  readonly isGood: (accountId: string, grantId: string) => Promise<boolean>;
  /**
   * Takes assertions of an identity provider. Rejects with `AssertionRefusal`, and with what passes. Undefined: there is no
   * such grant.
   */
  readonly takeAssertion: ((asked: AskedAssertion) => Promise<AssertedGrant>) | undefined;
  /** Whether the error of `records` passes: the client is told to come again, and not that the server is broken. */
  readonly isPassing: (error: unknown) => boolean;
  /** Called with what no client caused. */
  readonly onError: (error: Error) => void;
  readonly limits: OAuthLimits;
}

/** Lifetimes in seconds. */
interface OAuthLimits {
  readonly accessSeconds: number;
  readonly refreshSeconds: number;
  readonly codeSeconds: number;
  /** How long a device waits for a person. */
  readonly deviceSeconds: number;
  /** How long a person has to decide. */
  readonly decisionSeconds: number;
}
