import { type FindingSpec, part, specsOf } from './findingSpec.ts';

const { error, warning } = specsOf('Its form');

export const formFindings = {
  'unknown-key': error(
    'There is no such key at this place.',
    part`
      stpes:
        - tool: github/search`,
    part`
      steps:
        - tool: github/search`,
  ),
  'missing-key': error(
    'A key that is needed is not there.',
    '- forEach: ${{ inputs.tags }}',
    part`
      - forEach: \${{ inputs.tags }}
        steps:
          - tool: github/search
            with: { tag: "\${{ item }}" }`,
  ),
  'wrong-type': error(
    'A value is of another kind than the key takes.',
    'steps: search',
    'steps: [{ tool: github/search }]',
  ),
  'wrong-value': error(
    'A value is not among those that the key takes.',
    part`
      - tool: mail/send
        effect: writes`,
    part`
      - tool: mail/send
        effect: write`,
  ),
  'out-of-range': error(
    'A number, a duration, a list or a time is too small, too large or too far away.',
    part`
      - tool: github/search
        retry: { attempts: 0 }`,
    part`
      - tool: github/search
        retry: { attempts: 3 }`,
  ),
  'bad-name': error('A name is not spelled as such names are.', 'workflow: Nightly Report', 'workflow: nightly-report'),
  'bad-duration': error('A duration is not written as a number and a unit.', '- wait: 30 seconds', '- wait: 30s'),
  'bad-instant': error(
    'A point in time is not written as in RFC 3339, or there is no such day or time.',
    '- wait: { until: tomorrow }',
    '- wait: { until: "2026-11-30T06:00:00Z" }',
  ),
  'missing-verb': error(
    'A step has no verb.',
    '- id: scan',
    part`
      - id: scan
        tool: github/search`,
  ),
  'two-verbs': error(
    'A step has more than one verb.',
    part`
      - wait: 5m
        tool: github/search`,
    part`
      - wait: 5m
      - tool: github/search`,
  ),
  'key-not-for-verb': error(
    'A key belongs to steps with other verbs.',
    part`
      - wait: 5m
        retry: { attempts: 3 }`,
    '- wait: 5m',
  ),
  'key-misplaced': error(
    'A key means nothing at this place.',
    part`
      - id: scan
        tool: github/search
      - tool: mail/draft
        needs: [scan]`,
    part`
      - id: scan
        tool: github/search
      - tool: mail/draft`,
  ),
  'conflicting-keys': error(
    'Keys stand side by side that exclude each other.',
    '- wait: { until: "2026-11-30T06:00:00Z", signal: go }',
    '- wait: { signal: go }',
  ),
  'conflicting-values': error(
    'Two values cannot both be so.',
    part`
      - tool: github/search
        timeout: { idle: 2m, total: 1m }`,
    part`
      - tool: github/search
        timeout: { idle: 1m, total: 2m }`,
  ),
  'unused-key': warning(
    'A key has no effect, for want of another.',
    part`
      - ask: Shall we?
        onExpire: { approve: false }`,
    part`
      - ask: Shall we?
        expires: 1h
        onExpire: { approve: false }`,
  ),
  'expression-misplaced': error(
    'An expression stands where the value must be known before the run.',
    part`
      - tool: github/search
        timeout: \${{ inputs.timeout }}`,
    part`
      - tool: github/search
        timeout: 5m`,
  ),
} satisfies Record<string, FindingSpec>;
