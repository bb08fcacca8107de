/** Reads the proxy from the environment, as curl and Node do: the lower-case name takes precedence. */
import type { Environment } from '../stdio/environment.ts';

export interface ProxySettings {
  /** For http:, as a URL; empty: none. */
  readonly http: string;
  /** For https:; empty: that for http:. */
  readonly https: string;
  /** Hosts that are reached without the proxy, separated by commas. */
  readonly except: string;
}

/** Servers on this machine are reached without the proxy. */
const here = 'localhost,127.0.0.1,[::1]';

/** Undefined if no proxy is set. */
export function proxyOf(environment: Environment): ProxySettings | undefined {
  const named = (name: string): string => environment[name.toLowerCase()] ?? environment[name] ?? '';
  const all = named('ALL_PROXY');
  const isSpoken = (url: string): boolean => /^https?:/i.test(url);
  const [http = '', https = ''] = [named('HTTP_PROXY'), named('HTTPS_PROXY')].map((url) => [url, all].find(isSpoken));
  if (http === '' && https === '') return undefined;
  return { http, https, except: [here, named('NO_PROXY')].filter((text) => text !== '').join(',') };
}
