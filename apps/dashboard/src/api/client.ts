/** The client of the API, at the address that the page came from. The browser sends the cookie of its session. */
import { type Client, createClient } from '@baton/api/client';

/** The path of the page, ending in a slash: `/`, or the prefix of a proxy. */
export const rootPath = new URL('.', document.baseURI).pathname;

export const client: Client = createClient({ url: new URL(rootPath, location.origin) });

/** The same path without the slash at the end, for the router. */
export const routerBase = rootPath.replace(/\/$/, '');

/** The address of the API, for commands to copy. */
export const apiAddress = (): string => new URL(rootPath, location.origin).href.replace(/\/$/, '');
