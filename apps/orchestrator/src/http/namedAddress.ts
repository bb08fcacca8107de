/** Reads names of workflows in addresses: the router takes a slash of a name only as `%2F`. */
import { hasNameInPath } from '@baton/api';

const parts = /^(https?:\/\/[^/?#]*)?([^?#]*)(.*)$/is;
const hooks = '/v1/hooks/';

/** `url` as the router takes it: for a slash of a name `~` can stand, and in the address of a webhook the slash itself. */
export function namedAddress(url: string): string {
  const [, origin = '', path = '', rest = ''] = parts.exec(url) ?? [];
  if (!hasNameInPath(path)) return url;
  return `${origin}${path.startsWith(hooks) ? hookPath(path) : path.replaceAll('~', '%2F')}${rest}`;
}

/** Only its last segment is no part of the name, so that no address has two readings. */
function hookPath(path: string): string {
  const segments = path.slice(hooks.length).replaceAll('~', '/').split('/');
  if (segments.length < 2 || segments.includes('')) return path;
  return `${hooks}${segments.slice(0, -1).join('%2F')}/${segments.at(-1)}`;
}
