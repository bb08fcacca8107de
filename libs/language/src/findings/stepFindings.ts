import { type FindingSpec, part, specsOf } from './findingSpec.ts';

const { error, warning } = specsOf('Steps');

export const stepFindings = {
  'duplicate-id': error(
    'Two steps that could both be meant have the same id.',
    part`
      - id: scan
        tool: github/search
      - id: scan
        tool: mail/inbox`,
    part`
      - id: scan
        tool: github/search
      - id: mails
        tool: mail/inbox`,
  ),
  'shadowed-id': warning(
    'A step inside hides one of the same id outside.',
    part`
      - id: scan
        tool: github/search
      - forEach: \${{ inputs.tags }}
        steps:
          - id: scan
            tool: github/search
            with: { tag: "\${{ item }}" }`,
    part`
      - id: scan
        tool: github/search
      - forEach: \${{ inputs.tags }}
        steps:
          - id: scan-tag
            tool: github/search
            with: { tag: "\${{ item }}" }`,
  ),
  'reserved-name': error(
    'A name means something else already.',
    part`
      - forEach: \${{ inputs.tags }}
        as: inputs
        steps:
          - tool: github/search`,
    part`
      - forEach: \${{ inputs.tags }}
        as: tag
        steps:
          - tool: github/search`,
  ),
  'unknown-step': error(
    'An expression reads a step that is not there.',
    part`
      - id: scan
        tool: github/search
      - set: { found: "\${{ steps.scna.output }}" }`,
    part`
      - id: scan
        tool: github/search
      - set: { found: "\${{ steps.scan.output }}" }`,
  ),
  'step-not-run-yet': error(
    'An expression reads a step that has not run when it is evaluated.',
    part`
      - set: { found: "\${{ steps.scan.output }}" }
      - id: scan
        tool: github/search`,
    part`
      - id: scan
        tool: github/search
      - set: { found: "\${{ steps.scan.output }}" }`,
  ),
  'step-not-visible': error(
    'An expression reads a step that lies in another scope.',
    part`
      - forEach: \${{ inputs.tags }}
        steps:
          - id: scan
            tool: github/search
      - set: { found: "\${{ steps.scan.output }}" }`,
    part`
      - id: scans
        forEach: \${{ inputs.tags }}
        steps:
          - id: scan
            tool: github/search
        collect: \${{ steps.scan.output }}
      - set: { found: "\${{ steps.scans.output }}" }`,
  ),
  'step-may-not-have-run': warning(
    'The step is missing where the run failed before it.',
    part`
      steps:
        - id: scan
          tool: github/search
      finally:
        - tool: mail/draft
          with: { text: "\${{ steps.scan.text }}" }`,
    part`
      steps:
        - id: scan
          tool: github/search
      finally:
        - if: has(steps.scan)
          tool: mail/draft
          with: { text: "\${{ steps.scan.text }}" }`,
  ),
  'unknown-need': error(
    '`needs` names a step that is not a sibling.',
    part`
      - parallel:
          - id: build
            tool: shop/build
          - needs: [bulid]
            tool: shop/ship`,
    part`
      - parallel:
          - id: build
            tool: shop/build
          - needs: [build]
            tool: shop/ship`,
  ),
  'needs-cycle': error(
    'Steps wait for each other, so none can start.',
    part`
      - parallel:
          - id: build
            needs: [ship]
            tool: shop/build
          - id: ship
            needs: [build]
            tool: shop/ship`,
    part`
      - parallel:
          - id: build
            tool: shop/build
          - id: ship
            needs: [build]
            tool: shop/ship`,
  ),
  'unreachable-case': error(
    'A case, or a handler, can never be chosen.',
    part`
      - switch:
          - else: [{ tool: github/search }]
          - when: inputs.count > 3
            steps: [{ tool: mail/inbox }]`,
    part`
      - switch:
          - when: inputs.count > 3
            steps: [{ tool: mail/inbox }]
          - else: [{ tool: github/search }]`,
  ),
  'unreachable-step': warning(
    'No run gets to this step.',
    part`
      - fail: There are too many.
      - tool: github/search`,
    part`
      - if: inputs.count > 3
        fail: There are too many.
      - tool: github/search`,
  ),
  'not-a-list': error(
    '`forEach` is given something that is no list.',
    part`
      - forEach: inputs.tags
        steps:
          - tool: github/search
            with: { tag: "\${{ item }}" }`,
    part`
      - forEach: \${{ inputs.tags }}
        steps:
          - tool: github/search
            with: { tag: "\${{ item }}" }`,
  ),
  'calls-itself': error(
    'A workflow runs itself, without end.',
    part`
      workflow: nightly
      steps:
        - workflow: nightly`,
    part`
      workflow: nightly
      steps:
        - workflow: scan
          with: { url: "https://example.com" }`,
  ),
  'undo-not-kept': warning(
    'An item of a distributed `forEach` that has succeeded is not undone any more.',
    part`
      - forEach: \${{ inputs.tags }}
        distribute: true
        steps:
          - tool: shop/order
            undo: { tool: shop/cancel }`,
    part`
      - forEach: \${{ inputs.tags }}
        steps:
          - tool: shop/order
            undo: { tool: shop/cancel }`,
  ),
  'write-in-race': warning(
    'A write is in a race: it may happen, in whole or in part, although another step wins.',
    part`
      - parallel:
          - { tool: mail/inbox }
          - { tool: shop/order, effect: write }
        until: first`,
    part`
      - parallel:
          - { tool: mail/inbox }
          - { tool: github/search }
        until: first
      - { tool: shop/order, effect: write }`,
  ),
  'state-undeclared': error(
    'A step writes state, and the workflow declares none.',
    part`
      steps:
        - state: { cursor: "3" }`,
    part`
      state: { cursor: { type: string, default: "" } }
      steps:
        - state: { cursor: "3" }`,
  ),
  'unknown-state-key': error(
    'A step writes a key that the state of the workflow does not have.',
    part`
      state: { cursor: { type: string, default: "" } }
      steps:
        - state: { curser: "3" }`,
    part`
      state: { cursor: { type: string, default: "" } }
      steps:
        - state: { cursor: "3" }`,
  ),
  'state-in-distributed': error(
    'An item of a distributed `forEach`, which is a run of its own, writes state.',
    part`
      state: { last: { type: string, default: "" } }
      steps:
        - forEach: \${{ inputs.tags }}
          distribute: true
          steps:
            - state: { last: "\${{ item }}" }`,
    part`
      state: { last: { type: string, default: "" } }
      steps:
        - forEach: \${{ inputs.tags }}
          distribute: true
          steps:
            - tool: github/search
        - state: { last: "\${{ inputs.tags[inputs.tags.size() - 1] }}" }`,
  ),
  'unknown-failure-code': warning(
    '`match` names a code that no failure has.',
    part`
      - tool: github/search
        onError: { match: [timed-out], steps: [] }`,
    part`
      - tool: github/search
        onError: { match: [timeout], steps: [] }`,
  ),
  'deprecated-in-mcp': warning(
    'It uses what MCP deprecates and may remove: sampling through the client.',
    part`
      - sample: { append: Say hello., via: caller }`,
    part`
      - sample: { append: Say hello. }`,
  ),
} satisfies Record<string, FindingSpec>;
