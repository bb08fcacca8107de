import { expect, test } from 'vitest';

import { curlIn } from './curl.ts';

test.each([
  ['curl https://a.test', { tool: 'get', url: 'https://a.test', headers: {}, body: undefined, fails: false }],
  ['curl -sSfL "https://a.test/x?a=1&b=2"', { tool: 'get', url: 'https://a.test/x?a=1&b=2', fails: true }],
  ['curl -I https://a.test', { tool: 'head' }],
  [
    `curl --fail \\\n  -XPUT -H 'Authorization: Bearer \${{ secrets.T }}' --json '{"a": "b c"}' https://a.test`,
    {
      tool: 'put',
      headers: { authorization: 'Bearer ${{ secrets.T }}', 'content-type': 'application/json' },
      body: '{"a": "b c"}',
    },
  ],
  [`curl -d a=1 -d b=2 https://a.test`, { tool: 'post', body: 'a=1&b=2' }],
  ['curl "https://a.test/${{ inputs.id }}"', { url: 'https://a.test/${{ inputs.id }}' }],
  [String.raw`curl -d "{\"a\":1}" https://a.test`, { body: '{"a":1}' }],
])('%s is a request.', (run, request) => {
  expect(curlIn(run)).toMatchObject(request);
});

test.each([
  'curl https://a.test | jq .',
  'curl https://a.test > file',
  'curl https://a.test && make',
  'curl https://a.test\nmake',
  'curl "https://a.test/$ID"',
  'curl https://a.test/$(date)',
  'curl "https://a.test/`date`"',
  'curl -d @file https://a.test',
  'curl --json @- https://a.test',
  'curl -o file https://a.test',
  'curl -u me:it https://a.test',
  'curl -k https://a.test',
  'curl https://a.test https://b.test',
  'curl ~/x',
  'curl file:///etc/passwd',
  'curl -X OPTIONS https://a.test',
  'curl -X GET -d a https://a.test',
  'curl -H',
  "curl 'https://a.test",
  'curl',
  'curly https://a.test',
  'A=1 curl https://a.test',
  '',
])('%s stays a command.', (run) => {
  expect(curlIn(run)).toBeUndefined();
});
