import { type FindingSpec, inWords, part, specsOf } from './findingSpec.ts';

const { error, warning } = specsOf('The file');

export const fileFindings = {
  'empty-document': error(
    'There is nothing in the file, or only comments.',
    '# soon',
    part`
      workflow: soon
      steps:
        - set: { done: true }`,
  ),
  'too-large': inWords(
    error(
      'The file, a map or the number of steps is beyond a limit.',
      'a file of 600 KB',
      'two files, and a step `workflow` in one that runs the other',
    ),
  ),
  'too-deep': inWords(
    error(
      'Lists and maps, or steps, are nested beyond a limit.',
      '`[[[[…]]]]`, a list in a list, 65 deep',
      'the lists inside each other at most 64 deep',
    ),
  ),
  'yaml-syntax': error('The text is not YAML.', 'title: "half a text', 'title: "a whole text"'),
  'yaml-tab': error(
    'A tab stands where YAML wants spaces.',
    part`
      steps:
      ⇥- tool: github/search`,
    part`
      steps:
        - tool: github/search`,
  ),
  'yaml-indent': error(
    'A line is indented so that it belongs to nothing.',
    part`
      - id: scan
         tool: github/search`,
    part`
      - id: scan
        tool: github/search`,
  ),
  'yaml-documents': error(
    'The file holds more than one YAML document.',
    part`
      workflow: scan
      steps:
        - tool: github/search
      ---
      workflow: report`,
    part`
      workflow: scan
      steps:
        - tool: github/search`,
  ),
  'yaml-anchor': error(
    'Anchors are not allowed.',
    part`
      - tool: mail/send
        with: &args { to: ops }`,
    part`
      - tool: mail/send
        with: { to: ops }`,
  ),
  'yaml-alias': error(
    'Aliases are not allowed.',
    part`
      - tool: mail/send
        with: *args`,
    part`
      - tool: mail/send
        with: { to: ops }`,
  ),
  'yaml-merge': error(
    'Merge keys are not allowed.',
    part`
      - tool: mail/send
        with: { <<: { to: ops }, text: Done }`,
    part`
      - tool: mail/send
        with: { to: ops, text: Done }`,
  ),
  'yaml-tag': error('Tags are not allowed.', '- tool: !ENV TOOL', '- tool: github/search'),
  'yaml-directive': error(
    'YAML directives are not allowed.',
    part`
      %YAML 1.1
      ---
      workflow: scan`,
    'workflow: scan',
  ),
  'duplicate-key': error('A key stands twice in one map.', 'title: Scan\ntitle: Scan all', 'title: Scan all'),
  'duplicate-workflow': inWords(
    error(
      'Another file of the folder has the same workflow.',
      'two files with `workflow: scan`',
      'one file with `workflow: scan`, the other with `workflow: scan-all`',
    ),
  ),
  'forbidden-key': error(
    'A key could change what JavaScript objects are.',
    '- set: { __proto__: { a: 1 } }',
    '- set: { proto: { a: 1 } }',
  ),
  'key-not-text': error('A key is a list or a map.', '- set: { [a, b]: 1 }', '- set: { "a, b": 1 }'),
  'invalid-text': error(
    'A text holds NUL, or half a surrogate pair.',
    '- set: { smile: "\\ud83d" }',
    '- set: { smile: "\\ud83d\\ude42" }',
  ),
  'number-too-large': error(
    'An integer is too large to be exact in JSON.',
    '- set: { id: 12345678901234567890 }',
    '- set: { id: "12345678901234567890" }',
  ),
  'number-spelling': warning(
    'A number has a zero before it, or at the end of its decimals, which YAML drops: a postal code, a version.',
    '- set: { zip: 01234, version: 3.10 }',
    '- set: { zip: "01234", version: "3.10" }',
  ),
  'number-not-finite': error(
    'A number is infinite, or none at all.',
    '- set: { most: .inf }',
    '- set: { most: 1000000 }',
  ),
  'expression-unquoted': error(
    'An expression inside `{ }` or `[ ]` stands without quotes.',
    '- set: { page: ${{ inputs.url }} }',
    '- set: { page: "${{ inputs.url }}" }',
  ),

  'key-without-value': warning(
    'A key inside `{ }` has no value: most often a text with a comma was cut in two.',
    '- set: { text: Hello, world }',
    '- set: { text: "Hello, world" }',
  ),
} satisfies Record<string, FindingSpec>;
