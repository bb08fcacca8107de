import type { JsonObject } from '@baton/primitives';
import { expect, test } from 'vitest';

import { passedOn } from './passedOn.ts';

const reserved = {
  'baton/repeated': true,
  'io.modelcontextprotocol/serverInfo': { name: 'fake' },
  'modelcontextprotocol.io/x': 1,
  'tools.MCP.com/x': 1,
  'a/baton/x': 1,
  progressToken: 1,
};
const own = { 'example.com/page': 2, 'openai/outputTemplate': 'ui://a', ui: { resourceUri: 'ui://a' } };

test.each<[string, JsonObject, JsonObject]>([
  [
    'a tool',
    { structuredContent: { ttlMs: 1, _meta: reserved } },
    { structuredContent: { ttlMs: 1, _meta: reserved } },
  ],
  [
    'a tool, in its content',
    { content: [{ type: 'resource', resource: { uri: 'a:b', text: '', _meta: { ...reserved, ...own } } }] },
    { content: [{ type: 'resource', resource: { uri: 'a:b', text: '', _meta: own } }] },
  ],
  [
    'a prompt',
    { description: 'd', messages: [{ role: 'user', content: { type: 'text', text: 't', _meta: reserved } }] },
    { description: 'd', messages: [{ role: 'user', content: { type: 'text', text: 't', _meta: {} } }] },
  ],
  ['a resource', { contents: [{ uri: 'a:b', text: 't' }] }, { contents: [{ uri: 'a:b', text: 't' }] }],
])('of an answer of %s, what is not the server’s own is left out', (_, answer, passed) => {
  const odd = {
    resultType: 'input_required',
    inputRequests: { a: {} },
    requestState: 'forged',
    ttlMs: 31_536_000_000,
    cacheScope: 'public',
    isError: false,
    anything: 1,
  };
  expect(passedOn({ ...odd, ...answer, _meta: { ...reserved, ...own } })).toEqual({ ...passed, _meta: own });
});
