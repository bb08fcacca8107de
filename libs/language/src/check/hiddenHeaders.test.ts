import { expect, test } from 'vitest';

import { isHiddenHeader } from './hiddenHeaders.ts';

test.each([
  'authorization',
  'cookie',
  'proxy-authorization',
  'webhook-signature',
  'x-hub-signature-256',
  'x-api-key',
  'apikey',
  'x-gitlab-token',
  'x-forwarded-access-token',
  'x-amz-security-token',
  'x-goog-iap-jwt-assertion',
  'x-slack-signature',
  'x-client-secret',
])('%s stays out of the journal', (name) => {
  expect(isHiddenHeader(name)).toBe(true);
});

test.each([
  'content-type',
  'user-agent',
  'webhook-id',
  'webhook-timestamp',
  'x-github-event',
  'x-request-id',
  'x-kind',
  'idempotency-key',
  'x-author',
  'x-keyboard',
])('%s is seen by the workflow', (name) => {
  expect(isHiddenHeader(name)).toBe(false);
});
