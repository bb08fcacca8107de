/** What an authorization server remembers; its caller keeps it. */

/** A code, a token, an authorization that is under way, a registered client. */
export interface OAuthRecord {
  readonly payload: OAuthPayload;
  /** Epoch seconds; undefined: it was not used up. */
  readonly consumedAt?: number | undefined;
}

export type OAuthPayload = Readonly<Record<string, unknown>>;

export interface NewOAuthRecord {
  readonly payload: OAuthPayload;
  /** The agreement to which it belongs: it ends with it. */
  readonly grantId: string | undefined;
  /** Undefined: it does not expire by itself. */
  readonly lifeMs: number | undefined;
}

/** `id` is the code or the token itself: what keeps it must not be able to use it. All reject with `UnavailableError`. */
export interface OAuthRecords {
  put(kind: string, id: string, record: NewOAuthRecord): Promise<void>;
  find(kind: string, id: string): Promise<OAuthRecord | undefined>;
  /** Uses it up; false where it was used up before. Of several requests at the same time one gets true. */
  consume(kind: string, id: string): Promise<boolean>;
  remove(kind: string, id: string): Promise<void>;
  /** Ends the agreement, with all its codes and tokens. `reason`: `client`, or that one of them was used twice: `reuse`. */
  endGrant(grantId: string, reason: 'client' | 'reuse'): Promise<void>;
}
