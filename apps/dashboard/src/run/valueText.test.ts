import { expect, test } from 'vitest';

import { valueText } from './valueText.ts';

const sha256 = 'a'.repeat(64);

test.each([
  [{ json: { amount: 13 } }, '{"amount":13}'],
  [{ json: { content: [{ type: 'text', text: 'paid\n  in full' }] } }, 'paid in full'],
  [{ json: { content: [{ type: 'text', text: '{}' }], structuredContent: { id: 7 } } }, '{"id":7}'],
  [{ json: { content: [], structuredContent: {} } }, ''],
  [{ json: { content: [{ type: 'image', data: 'x' }] } }, '{"type":"image","data":"x"}'],
  [{ json: { content: 'no list' } }, '{"content":"no list"}'],
  [{ json: null }, 'null'],
  [{ json: null, hidden: true as const }, 'hidden'],
  [{ blob: { sha256, bytes: 9, preview: '[1, 2' } }, '[1, 2'],
  [{ list: [{ json: 1 }, { json: 'a' }] }, '1, "a"'],
])('The value %j is shown in one line as %j', (value, text) => {
  expect(valueText(value)).toBe(text);
});
