/** Where authorisations are stored; the host implements it. */
export interface TokenStore {
  /** What was saved last under this name. */
  load(server: string): Promise<string | undefined>;
  /** Replaces the stored text. It holds tokens: keep it encrypted, and never show it. */
  save(server: string, text: string): Promise<void>;
}

export interface OAuthOptions {
  readonly store: TokenStore;
  /** Where an authorization server sends people back to; absent: logins are not possible. */
  readonly redirectUrl?: string;
  /** Where this client describes itself (client ID metadata documents), for authorization servers that ask there. */
  readonly clientMetadataUrl?: string;
  /** How long what was read is relied on, where another process may have logged out. Absent: a minute. */
  readonly freshMs?: number;
  /** Of one request to an authorization server, its answer included. Absent: half a minute. */
  readonly timeLimitMs?: number;
}
