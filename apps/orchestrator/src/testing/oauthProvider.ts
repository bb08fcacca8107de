/** For tests: what a client of the SDK keeps of its log-in. */
import { redirectUri } from './oauthClient.ts';

interface SavedClient {
  readonly client_id: string;
}

interface SavedTokens {
  readonly access_token: string;
  readonly token_type: string;
}

/** Of both versions of the SDK. */
export class MemoryProvider {
  readonly clientMetadataUrl?: string;
  /** Where the person is sent. */
  asked: URL | undefined;
  #client: SavedClient | undefined;
  #tokens: SavedTokens | undefined;
  #verifier = '';

  /** Without an address of a document, the client registers itself, unless it is known (`saveClientInformation`). */
  constructor(clientMetadataUrl?: string, redirectUrl = redirectUri) {
    if (clientMetadataUrl !== undefined) this.clientMetadataUrl = clientMetadataUrl;
    this.redirectUrl = redirectUrl;
    this.clientMetadata = { redirect_uris: [redirectUrl], client_name: 'SDK', token_endpoint_auth_method: 'none' };
  }

  readonly redirectUrl: string;
  readonly clientMetadata: {
    readonly redirect_uris: string[];
    readonly client_name: string;
    readonly token_endpoint_auth_method: string;
  };

  clientInformation(): SavedClient | undefined {
    return this.#client;
  }

  saveClientInformation(client: SavedClient): void {
    this.#client = client;
  }

  tokens(): SavedTokens | undefined {
    return this.#tokens;
  }

  saveTokens(tokens: SavedTokens): void {
    this.#tokens = tokens;
  }

  redirectToAuthorization(url: URL): void {
    this.asked = url;
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }

  codeVerifier(): string {
    return this.#verifier;
  }
}
