import { expect, test } from 'vitest';

import { proxyOf } from './proxy.ts';

const here = 'localhost,127.0.0.1,[::1]';

test.each([
  [{}, undefined],
  [{ HTTPS_PROXY: 'http://p:1' }, { http: '', https: 'http://p:1', except: here }],
  [
    { HTTPS_PROXY: 'http://p:1', https_proxy: 'http://q:2' },
    { http: '', https: 'http://q:2', except: here },
  ],
  [
    { ALL_PROXY: 'http://p:1', NO_PROXY: 'a.b' },
    { http: 'http://p:1', https: 'http://p:1', except: `${here},a.b` },
  ],
  [{ ALL_PROXY: 'socks5://p:1' }, undefined],
  [{ NO_PROXY: '*' }, undefined],
])('of the environment %j', (environment, settings) => {
  expect(proxyOf(environment)).toEqual(settings);
});
