/**
 * The cookies of one link. Some load balancers tell by a cookie which of their servers knows a session: every request of
 * the session repeats it. They go to the origin that set them, end with the link, and are never stored.
 */
const cookiesMax = 20;
const cookieCharacters = 4_096;

export class Cookies {
  /** By origin and name. */
  readonly #values = new Map<string, string>();

  /** Keeps what an answer from this address sets. */
  take(url: URL, headers: Headers): void {
    for (const text of headers.getSetCookie()) {
      const [pair = '', ...attributes] = text.split(';');
      const at = pair.indexOf('=');
      if (at < 1) continue;
      const [name, value] = [pair.slice(0, at).trim(), pair.slice(at + 1).trim()];
      const key = `${url.origin} ${name}`;
      const isOver = attributes.some(isExpiry);
      this.#values.delete(key);
      if (isOver || name.length + value.length > cookieCharacters || this.#values.size >= cookiesMax) continue;
      this.#values.set(key, value);
    }
  }

  /** The header for a request to this address; undefined: none. `own`: a configured one. */
  headerFor(url: URL, own: string | null): string | undefined {
    const origin = `${url.origin} `;
    const kept = [...this.#values].filter(([key]) => key.startsWith(origin));
    const all = kept.map(([key, value]) => `${key.slice(origin.length)}=${value}`);
    if (own !== null) all.unshift(own);
    return all.length === 0 ? undefined : all.join('; ');
  }
}

/** Servers end a cookie with a date near 1970. */
const longAgo = 1e12;

/** RFC 6265, section 5.2: an attribute with which a server ends a cookie. */
function isExpiry(attribute: string): boolean {
  const [name = '', value = ''] = attribute.trim().split(/\s*=\s*(.*)/);
  if (name.toLowerCase() === 'max-age') return Number(value) <= 0;
  return name.toLowerCase() === 'expires' && Date.parse(value) < longAgo;
}
