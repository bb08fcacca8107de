/** Hosts that a built-in server may call, as `mcp.json` lists them: `api.example.com`, `*.example.com`, `localhost:8080`. */

const label = String.raw`[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?`;
const pattern = new RegExp(String.raw`^(?:(?:\*\.)?${label}(?:\.${label})*|\[[0-9a-f:.]+\])(?::\d{1,5})?$`, 'i');

export const isHostPattern = (text: string): boolean => pattern.test(text);

/**
 * Whether the pattern names the host of the URL. A pattern without a port is for the port of the scheme, and `*.` for one
 * name or more in front; it does not name the domain itself.
 */
export function isListedHost({ host, protocol }: URL, pattern: string): boolean {
  const listed = withoutDefaultPort(pattern.toLowerCase(), protocol);
  return listed.startsWith('*.') ? host.endsWith(listed.slice(1)) : host === listed;
}

/** `URL` leaves the port of the scheme out. */
const withoutDefaultPort = (host: string, protocol: string): string =>
  host.replace(protocol === 'https:' ? /:443$/ : /:80$/, '');
