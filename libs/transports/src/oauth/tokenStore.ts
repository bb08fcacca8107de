/** Where authorisations are stored; the host implements it. */
export interface TokenStore {
  /** The text that was saved last for this server and login. `login`: absent for that of the installation. */
  load(server: string, login?: string): Promise<string | undefined>;
  /**
   * Replaces the stored text. It holds tokens: keep it encrypted, and never show it. Nothing is stored for a person who
   * was removed.
   */
  save(server: string, text: string, login?: string): Promise<void>;
  /** Whether the tokens of the login are kept, and not used. Absent: those of no login. */
  isSuspended?(login: string): Promise<boolean>;
}

export interface OAuthOptions {
  readonly store: TokenStore;
  /** Where an authorization server sends people back to; absent: logins are not possible. */
  readonly redirectUrl?: string;
  /** The URL of Baton's client ID metadata document, for authorization servers that support those. */
  readonly clientMetadataUrl?: string;
  /** How long a read authorisation is used before it is read again. Absent: a minute, and
   * that of a person for 5 s. */
  readonly freshMs?: number;
  /** Time limit of one request to an authorization server, its answer included. Absent: 30 s. */
  readonly timeLimitMs?: number;
}
