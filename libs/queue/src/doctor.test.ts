import { expect, test } from 'vitest';

import { parseInfo, redisFindings } from './doctor.ts';

const info = (policy: string): string => `# Memory\r\nused_memory:1\r\nmaxmemory_policy:${policy}\r\n\r\n# Server\r\n`;

test('a Redis that evicts nothing is fine', () => {
  expect(redisFindings(parseInfo(info('noeviction')))).toEqual([]);
});

test.each(['allkeys-lru', 'volatile-ttl'])('a Redis with %s is found unfit', (policy) => {
  expect(redisFindings(parseInfo(info(policy)))).toMatchObject([
    { code: 'eviction', message: `Redis may evict bells and locks: its maxmemory-policy is ${policy}.` },
  ]);
});

test('a Redis that does not report its policy counts as safe', () => {
  expect(redisFindings(parseInfo('ERR unknown\n:\nx:y:z'))).toEqual([]);
  expect(parseInfo('x:y:z').get('x')).toBe('y:z');
});
