import { Writable } from 'node:stream';

import type { AuditCall } from '@baton/api/client';
import { expect, test } from 'vitest';

import { createOutput } from './output.ts';
import { printCalls } from './printCalls.ts';

const call: AuditCall = {
  at: '2020-11-17T09:00:00.000Z',
  by: 'night-shift (7vIqUv2Yk0aB)',
  workflow: 'reader',
  version: 2,
  run: '019a0000-0000-7000-8000-000000000001',
  step: 'one',
  attempt: 1,
  verb: 'tool',
  server: 'filesystem',
  tool: 'read_text_file',
  effect: 'read',
  arguments: { sha256: '0'.repeat(64), preview: '{}' },
  outcome: 'succeeded',
  durationMs: 4,
};

test('who called which tool is whole on a terminal of 80 columns, with effect and workflow', () => {
  let text = '';
  const stream = new Writable({ write: (chunk, _encoding, done) => ((text += String(chunk)), done()) });
  printCalls(createOutput(Object.assign(stream, { isTTY: true, columns: 80 }), { NO_COLOR: '1' }), [call]);
  expect(text.split('\n')[1]).toBe('2020-11-17  night-shift  filesystem/read_text_file  read    reader@2  succeeded');
});
