import { expect, test } from 'vitest';

import { compileCondition } from '../condition.ts';

const evaluate = (source: string): unknown => compileCondition(source, '').evaluate({});

test.each([
  ['formatNumber(1234.5)', '1,234.5'],
  ['formatNumber(-0.5, "en-US", 0)', '-1'],
  ['formatNumber(2.675, "de-DE", 2)', '2,68'],
  ['formatNumber(9007199254740993)', '9,007,199,254,740,993'],
  ['formatCurrency(1234.5, "EUR", "de-DE").replace("\\u00a0", " ")', '1.234,50 €'],
  ['formatCurrency(2.5, "JPY", "ja-JP")', '￥3'],
  ['formatCurrency(1.005, "USD")', '$1.01'],
])('%s is written as people there write it', (source, text) => {
  expect(evaluate(source)).toBe(text);
});

// The runtime would take the locale of the machine, and each worker could write otherwise.
test.each([
  ['formatNumber(1, "de_DE")', 'is no locale; "de-DE" is'],
  ['formatNumber(1, "xx")', 'is no locale; "de-DE" is'],
  ['formatNumber(1, "de-DE", 16)', 'formatNumber takes 0 to 15 places'],
  ['formatNumber(null)', 'formatNumber takes a number as its first argument, and here is null'],
  ['formatNumber("1")', 'formatNumber takes a number as its first argument, and here is the text "1"'],
  ['formatCurrency(1, "XXQ")', 'is no currency of ISO 4217; "EUR" is'],
  ['formatCurrency(1, "usd")', 'is no currency of ISO 4217; "EUR" is'],
])('%s says what it takes', (source, message) => {
  expect(() => evaluate(source)).toThrow(message);
});
