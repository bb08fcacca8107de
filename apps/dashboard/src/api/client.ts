/** The client of the API, at the address that the page came from. The browser sends the cookie of its session. */
import type { Client } from '@baton/api/client';
import { createClient } from '@baton/api/client';

/** Where the page lies, ending in a slash: `/`, or the path of a proxy in front of it. */
export const rootPath = new URL('.', document.baseURI).pathname;

export const client: Client = createClient({ url: new URL(rootPath, location.origin) });

/** The same for the router, which wants no slash at the end. */
export const routerBase = rootPath.replace(/\/$/, '');

/** The address of the API, for commands that are copied. */
export const apiAddress = (): string => new URL(rootPath, location.origin).href.replace(/\/$/, '');
