import { type FindingSpec, inWords, part, specsOf } from './findingSpec.ts';

const { error, warning } = specsOf('Expressions');

export const expressionFindings = {
  'expression-syntax': error(
    'The text is not CEL.',
    part`
      - if: inputs.org = "acme"
        tool: github/search`,
    part`
      - if: inputs.org == "acme"
        tool: github/search`,
  ),
  'expression-unclosed': error(
    'A `${{` has no `}}`: it is missing, or a text or a `{` inside the expression is left open.',
    part`
      # no end
      - set: { team: "\${{ inputs.org" }
      # a text that is not closed
      - set: { team: "\${{ inputs.org + ' team }}" }
      # a text that the end of its line cuts off
      - set:
          tags: |
            \${{ inputs.tags.join("
            ") }}
      # a map that is not closed
      - set: { team: "\${{ {'name': inputs.org }}" }`,
    part`
      - set: { team: "\${{ inputs.org }}" }
      - set: { team: "\${{ inputs.org + ' team' }}" }
      - set:
          tags: |
            \${{ inputs.tags.join("\\n") }}
      - set: { team: "\${{ {'name': inputs.org} }}" }`,
  ),
  'expression-empty': error(
    'There is nothing between the braces.',
    '- set: { team: "${{ }}" }',
    '- set: { team: "${{ inputs.org }}" }',
  ),
  'not-an-expression': warning(
    'A text looks like an expression of another tool, and stays as it is.',
    '- set: { text: "Hello {{ inputs.org }}" }',
    '- set: { text: "Hello ${{ inputs.org }}" }',
  ),
  'expression-braces': error(
    'A condition is bare CEL, without `${{ }}`.',
    part`
      - if: \${{ inputs.count > 3 }}
        tool: github/search`,
    part`
      - if: inputs.count > 3
        tool: github/search`,
  ),
  'expression-too-large': inWords(
    error(
      'An expression is too long, or nests too deep.',
      'an expression of 5,000 characters',
      'its parts in a step `set`, and an expression that reads them',
    ),
  ),
  'expression-type': error(
    'An operation cannot work on values of these kinds.',
    '- set: { left: "${{ inputs.org - 1 }}" }',
    '- set: { left: "${{ inputs.count - 1 }}" }',
  ),
  'expression-arguments': error(
    'A function is not called like this.',
    '- set: { text: "${{ join() }}" }',
    `- set: { text: "\${{ inputs.tags.join(', ') }}" }`,
  ),
  'expression-fails': error(
    'An expression without variables fails.',
    '- set: { share: "${{ 1 / 0 }}" }',
    '- set: { share: "${{ 1 / inputs.count }}" }',
  ),
  'unknown-function': error(
    'There is no function of this name.',
    '- set: { many: "${{ lenght(inputs.tags) }}" }',
    '- set: { many: "${{ size(inputs.tags) }}" }',
  ),
  'unknown-name': error(
    'There is nothing of this name at this place.',
    '- set: { team: "${{ input.org }}" }',
    '- set: { team: "${{ inputs.org }}" }',
  ),
  'unknown-field': error(
    'A value has no such key.',
    '- set: { team: "${{ inputs.ogr }}" }',
    '- set: { team: "${{ inputs.org }}" }',
  ),
  'computed-reference': error(
    'Steps and secrets are named where they are read.',
    part`
      - id: scan
        tool: github/search
      - set: { found: "\${{ steps[inputs.org].output }}" }`,
    part`
      - id: scan
        tool: github/search
      - set: { found: "\${{ steps.scan.output }}" }`,
  ),
  'secret-misplaced': error(
    'A secret stands elsewhere than in the `with` of a tool.',
    '- set: { token: "${{ secrets.TOKEN }}" }',
    part`
      - tool: github/search
        with: { token: "\${{ secrets.TOKEN }}" }`,
  ),
  'secret-computed': error(
    'Something is computed from a secret, which is not there yet.',
    part`
      - tool: github/search
        with: { token: "\${{ sha256(secrets.TOKEN) }}" }`,
    part`
      - tool: github/search
        with: { token: "\${{ secrets.TOKEN }}" }`,
  ),
  'secret-of-webhook': error(
    'A secret with which a webhook is signed is given to a tool: who learns it can start runs.',
    part`
      on: [{ webhook: ci, secret: CI_HOOK }]
      steps:
        - tool: github/search
          with: { token: "\${{ secrets.CI_HOOK }}" }`,
    part`
      on: [{ webhook: ci, secret: CI_HOOK }]
      steps:
        - tool: github/search
          with: { token: "\${{ secrets.TOKEN }}" }`,
  ),
  'invalid-pattern': error(
    'A regular expression is not one of RE2.',
    part`
      - if: inputs.org.matches("(?=acme)")
        tool: github/search`,
    part`
      - if: inputs.org.matches("^acme")
        tool: github/search`,
  ),
  'may-be-missing': warning(
    'A key may not be there, and the expression fails then.',
    part`
      inputs: { note: { type: string, optional: true } }
      steps:
        - set: { text: "\${{ inputs.note }}" }`,
    part`
      inputs: { note: { type: string, optional: true } }
      steps:
        - set: { text: "\${{ inputs.?note.orValue('none') }}" }`,
  ),
  'may-be-null': warning(
    'A value may be null, and what is done with it fails then: a step may have been skipped, or a schema allows null.',
    part`
      - id: scan
        if: inputs.count > 3
        tool: github/search
      - set: { all: "\${{ steps.scan.output.items + ['last'] }}" }`,
    part`
      - id: scan
        if: inputs.count > 3
        tool: github/search
      - set: { all: "\${{ default(steps.scan.output.items, []) + ['last'] }}" }`,
  ),
  'never-equal': warning(
    'Two values are never equal: their kinds differ, or one is not among those that the other can have.',
    part`
      - if: inputs.count == "3"
        tool: github/search`,
    part`
      - if: inputs.count == 3
        tool: github/search`,
  ),
  'undeclared-field': warning(
    'A schema lists the keys of a value, and this is none of them.',
    part`
      - id: made
        tool: github/create_issue
        with: { title: The build fails }
      - set: { page: "\${{ steps.made.output.ulr }}" }`,
    part`
      - id: made
        tool: github/create_issue
        with: { title: The build fails }
      - set: { page: "\${{ steps.made.output.?url }}" }`,
  ),
} satisfies Record<string, FindingSpec>;
