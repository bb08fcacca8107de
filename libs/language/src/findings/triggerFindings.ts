import { type FindingSpec, part, specsOf } from './findingSpec.ts';

const { error, warning } = specsOf('Triggers');

export const triggerFindings = {
  'cron-syntax': error(
    'A schedule is not cron of five or six fields.',
    'on: [{ schedule: "60 * * * *" }]',
    'on: [{ schedule: "59 * * * *" }]',
  ),
  'cron-never': error(
    'A schedule never fires.',
    'on: [{ schedule: "0 0 31 2 *" }]',
    'on: [{ schedule: "0 0 28 2 *" }]',
  ),
  'cron-every-second': warning(
    'A schedule fires every second.',
    'on: [{ schedule: "* * * * * *" }]',
    'on: [{ schedule: "* * * * *" }]',
  ),
  'cron-day-or-weekday': warning(
    'A schedule gives days of the month and weekdays: it fires on each day that is one of them.',
    'on: [{ schedule: "0 9 1-7 * 1" }]',
    'on: [{ schedule: "0 9 * * 1#1" }]',
  ),
  'schedule-past': warning(
    'The time of a one-time schedule is over.',
    'on: [{ at: "2026-01-31T09:00:00Z" }]',
    'on: [{ at: "2100-01-31T09:00:00Z" }]',
  ),
  'unknown-time-zone': error(
    'There is no such IANA time zone.',
    'on: [{ schedule: "0 6 * * *", timezone: Mars/Phobos }]',
    'on: [{ schedule: "0 6 * * *", timezone: Europe/Berlin }]',
  ),
  'duplicate-trigger': error(
    'Two triggers cannot be told apart.',
    part`
      on:
        - { webhook: ci, secret: CI_HOOK }
        - { webhook: ci, secret: SHOP_HOOK }`,
    part`
      on:
        - { webhook: ci, secret: CI_HOOK }
        - { webhook: shop, secret: SHOP_HOOK }`,
  ),
  'poll-not-a-read': error(
    'A poll calls a tool that may write.',
    part`
      on:
        - { poll: mail/send, items: result.output.messages, key: item.id }`,
    part`
      on:
        - { poll: mail/inbox, items: result.output.messages, key: item.id }`,
  ),
  'poll-items-no-list': error(
    'What a poll goes through is no list.',
    part`
      on:
        - poll: github/list_issues
          with: { repo: shop }
          items: result.text
          key: item.number`,
    part`
      on:
        - poll: github/list_issues
          with: { repo: shop }
          items: result.output.issues
          key: item.number`,
  ),
  'poll-key-untyped': error(
    'The key of an item that a poll finds is neither a text nor a number.',
    part`
      on:
        - poll: github/list_issues
          with: { repo: shop }
          items: result.output.issues
          key: item.labels`,
    part`
      on:
        - poll: github/list_issues
          with: { repo: shop }
          items: result.output.issues
          key: item.number`,
  ),
  'events-unsupported': error(
    'A trigger names an event of a server that has none (SEP-3415): a poll asks a tool of it instead.',
    part`
      on:
        - event: mail/message.received`,
    part`
      on:
        - { poll: mail/inbox, items: result.output.messages, key: item.id }`,
  ),
  'unknown-event': error(
    'The server has no such event.',
    part`
      on:
        - event: github/issue.openned
          params: { repo: shop }`,
    part`
      on:
        - event: github/issue.opened
          params: { repo: shop }`,
  ),
  'unknown-header': warning(
    'A webhook reads a header that is never there: names are in lower case, and headers that prove who sent are left out.',
    part`
      on:
        - webhook: ci
          secret: CI_HOOK
          if: event.headers["X-GitHub-Event"] == "push"`,
    part`
      on:
        - webhook: ci
          secret: CI_HOOK
          if: event.headers["x-github-event"] == "push"`,
  ),
  'unknown-input': error(
    'A trigger gives an input that the workflow does not have.',
    part`
      on: [{ schedule: "0 6 * * *", inputs: { ogr: acme } }]
      inputs: { org: { type: string, default: baton } }`,
    part`
      on: [{ schedule: "0 6 * * *", inputs: { org: acme } }]
      inputs: { org: { type: string, default: baton } }`,
  ),
  'trigger-inputs': warning(
    'A run started by this lacks an input that it needs.',
    part`
      on: [{ schedule: "0 6 * * *" }]
      inputs: { org: { type: string } }`,
    part`
      on: [{ schedule: "0 6 * * *", inputs: { org: acme } }]
      inputs: { org: { type: string } }`,
  ),
} satisfies Record<string, FindingSpec>;
