import { expect, test } from 'vitest';

import { checkWorkflow } from '../parseWorkflow.ts';

const nowMs = Date.UTC(2026, 10, 26, 20);

const findingsOf = (trigger: string): string[] =>
  checkWorkflow(`workflow: w\non:\n  - ${trigger}\nsteps:\n  - set: {}\n`, { nowMs }).findings.map(
    ({ code, message, expected, hint }) =>
      [code, message, expected, hint].filter((one) => one !== undefined).join(' | '),
  );

test.each([
  '{ every: 90m }',
  '{ every: 1s, id: often, overlap: queue }',
  '{ every: 1d, from: 2026-01-01T06:00, timezone: Europe/Berlin, catchUp: all, catchUpWindow: 2d }',
  '{ every: 2h, from: 2026-01-01T06:00:00Z }',
  '{ at: 2026-12-24T10:00:00+01:00 }',
  '{ at: 2026-12-24T10:00, timezone: Europe/Berlin, catchUpWindow: 2h }',
])('the trigger %s is right', (trigger) => {
  expect(findingsOf(trigger)).toEqual([]);
});

test.each([
  ['{ every: 90 minutes }', /bad-duration.*90m/],
  ['{ every: 90 }', /90/],
  ['{ every: 500ms }', /out-of-range.*too short.*1s to 366d/],
  ['{ every: 400d }', /out-of-range.*too long/],
  ['{ every: 1h, at: 2026-12-24T10:00:00Z }', /conflicting-keys.*"every" and "at"/],
  ['{ schedule: "0 6 * * *", every: 1h }', /conflicting-keys.*"schedule" and "every"/],
  ['{ timezone: UTC }', /missing-key.*every, at/],
  ['{ evry: 1h }', /missing-key.*every/],
  ['{ every: 1h, from: soon }', /bad-instant.*RFC 3339/],
  ['{ every: 1h, timezone: Europe/Berlin }', /unused-key.*elapsed time/],
  ['{ at: tomorrow }', /bad-instant.*RFC 3339/],
  ['{ at: 2026-12-24 }', /bad-instant.*is a day.*2026-12-24T00:00/],
  ['{ at: 2026-02-30T10:00 }', /bad-instant.*no day of the calendar/],
  ['{ at: 2026-11-26T19:59:59Z }', /schedule-past.*is over.*a time after 2026-11-26T20:00/],
  ['{ at: 2026-11-26T20:30, timezone: Europe/Berlin }', /schedule-past/],
  ['{ at: 2026-12-24T10:00:00Z, timezone: Europe/Berlin }', /unused-key.*offset of its own/],
  ['{ at: 2026-12-24T10:00, timezone: Europa/Berlin }', /unknown-time-zone/],
  ['{ at: 2026-12-24T10:00:00Z, catchUp: none, catchUpWindow: 1h }', /unused-key.*catchUp/],
  ['{ schedule: every 90m }', /cron-syntax.*- every: 90m/],
  ['{ schedule: 90 minutes }', /cron-syntax.*- every: 90m/],
  ['{ schedule: 2026-12-24T10:00 }', /cron-syntax.*- at: 2026-12-24T10:00/],
])('the trigger %s gets one finding that says what is valid', (trigger, said) => {
  expect(findingsOf(trigger)).toEqual([expect.stringMatching(said)]);
});
