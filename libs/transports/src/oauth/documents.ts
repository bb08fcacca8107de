/**
 * What authorization servers answer, read as it is meant: `null` is absent, a slash at the end of an issuer is no
 * difference, and the page of an app at a well-known address says that nothing is there.
 */
import { isObject } from '@baton/primitives';
import { admitOAuth } from '@baton/protocol';

export const isSameAddress = (one: string, other: string): boolean => bare(one) === bare(other);
const bare = (address: string): string => address.replace(/\/$/, '');

/** The member of metadata that holds the issuer as its server wrote it, where it is announced in another form. */
const writtenIssuer = 'baton/issuer';

/**
 * The `iss` of an answer as the SDK compares it. Only the issuer exactly as its metadata has it is the same: RFC 9207,
 * section 2.4, compares without normalization.
 */
export function comparedIssuer(iss: string, metadata: Readonly<Record<string, unknown>> | undefined): string {
  const { issuer } = metadata ?? {};
  return iss === metadata?.[writtenIssuer] && typeof issuer === 'string' ? issuer : iss;
}

/** An answer of an address that no OAuth server serves. */
export class NoOAuthError extends Error {}

export class OAuthDocuments {
  /** The authorization servers that the resource named last, as it wrote them. */
  #announced: readonly string[] = [];

  /** The answer with a body that the SDK reads. Throws `NoOAuthError`. */
  read(url: URL, status: number, text: string): { readonly status: number; readonly text: string } {
    if (status < 200 || status > 299 || text === '') return { status, text };
    const document = jsonIn(text);
    if (!isObject(document)) {
      if (url.pathname.includes('/.well-known/')) return { status: 404, text: '' };
      const where = `${url.origin}${url.pathname}`;
      throw new NoOAuthError(`${where} answered ${status} and no JSON: no authorization server is there.`);
    }
    const admitted = admitOAuth(document) as Readonly<Record<string, unknown>>;
    const { authorization_servers: servers, issuer } = admitted;
    if (Array.isArray(servers)) this.#announced = servers.filter((one): one is string => typeof one === 'string');
    const announced = typeof issuer === 'string' && this.#announced.find((one) => isSameAddress(one, issuer));
    if (typeof announced !== 'string' || announced === issuer) return { status, text: JSON.stringify(admitted) };
    return { status, text: JSON.stringify({ ...admitted, issuer: announced, [writtenIssuer]: issuer }) };
  }
}

/** Undefined: none. */
function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, '')) as unknown;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
