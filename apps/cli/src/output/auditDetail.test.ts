import { expect, test } from 'vitest';

import { auditDetail } from './auditDetail.ts';

test('The details of an entry of the audit begin with what changed, and do not repeat its target.', () => {
  const changes = ['mail/send: The argument "bcc" is new.', 'mail/look: The key "id" of the result is new.'];
  const detail = { version: 2, workflow: 'report', before: 'sha256:a', changes, answers: 3 };
  expect(auditDetail({ target: 'report', detail })).toBe(`${changes.join(' ')} version 2, before sha256:a, answers 3`);
});

test('The details of an entry of the audit without changes are its members.', () => {
  expect(auditDetail({ target: 'report', detail: { digest: 'sha256:a', at: null } })).toBe('digest sha256:a, at null');
  expect(auditDetail({ target: 'report', detail: [] })).toBe('[]');
});
