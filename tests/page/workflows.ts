/** What runs in the tests of the page: one workflow for each kind of thing that the page shows. */

/** What a tool, a model or an author could write to do harm to the person who reads it. */
export const hostile = {
  html: '<img src=x onerror="window.harmed=1"><script>window.harmed=1</script><a href="javascript:window.harmed=1">x</a>',
  rightToLeft: '\u202Egnp.exe\u202C and \u2066more\u2069',
  escapes: '\u001B[31mred\u001B[0m \u001B]0;title\u0007',
  word: 'w'.repeat(100_000),
};

const closed = (properties: object, required: readonly string[]): object => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});

export const shopTools = [
  {
    name: 'refund',
    description: `Pays money back. ${hostile.html}`,
    inputSchema: closed({ order: { type: 'string' }, amount: { type: 'number' } }, ['order', 'amount']),
  },
  {
    name: 'lookup',
    description: 'Finds an order.',
    annotations: { readOnlyHint: true },
    inputSchema: closed(
      { order: { type: 'string' }, depth: { enum: ['short', 'full'], description: hostile.rightToLeft } },
      ['order'],
    ),
  },
];

const greeting = `
workflow: greeting
title: Say hello
on:
  - schedule: "0 6 * * *"
    timezone: Europe/Berlin
  - webhook: knock
    secret: HOOK_KEY
inputs:
  name: { type: string, default: world, description: Who is greeted }
  times: { type: integer, default: 1 }
steps:
  - { id: said, title: Say it, tool: tools/echo, with: { message: "Hello, \${{ inputs.name }}" } }
outputs: { said: "\${{ steps.said.text }}" }
`;

/** The write is taken back when the bank is closed. */
const refunds = `
workflow: refunds
title: Pay it back
inputs: { order: { type: string, default: A-1041 } }
steps:
  - { id: found, tool: shop/lookup, with: { order: "\${{ inputs.order }}" } }
  - id: paid
    tool: shop/refund
    with: { order: "\${{ inputs.order }}", amount: 42 }
    undo: [{ tool: shop/refund, with: { order: "\${{ inputs.order }}", amount: -42 } }]
  - id: booked
    tool: tools/fail
    with: { message: The bank is closed. }
`;

const approval = `
workflow: approval
inputs: { title: { type: string, default: The letter } }
steps:
  - id: review
    ask: "Publish \${{ inputs.title }}?"
    form: { approve: { type: boolean }, note: { type: string, optional: true } }
    expires: 2d
    onExpire: { approve: false }
  - { id: published, if: steps.review.output.approve, tool: tools/echo, with: { message: "published" } }
outputs: { by: "\${{ steps.review.by }}", note: "\${{ steps.review.output.?note }}" }
`;

const items = `
workflow: items
inputs: { count: { type: integer, default: 20 }, bad: { type: integer, default: 7 } }
steps:
  - id: each
    forEach: \${{ range(inputs.count) }}
    as: n
    maxParallel: 20
    onItemError: collect
    steps:
      - switch:
          - { when: n == inputs.bad, steps: [{ id: worse, fail: "Item \${{ n }} is bad." }] }
          - else: [{ id: fine, set: { n: "\${{ n }}" } }]
`;

/** As many items as one forEach takes; one of them divides by zero. */
const crowd = `
workflow: crowd
steps:
  - id: each
    forEach: \${{ range(10000) }}
    as: n
    maxParallel: 100
    onItemError: collect
    steps:
      - { id: done, set: { rest: "\${{ 1 % (n - 7777) }}" } }
`;

/** Waits for a signal, and then for a tool that takes its time. */
const patient = `
workflow: patient
inputs: { ms: { type: integer, default: 60000 } }
steps:
  - { id: bell, wait: { signal: ring } }
  - { id: work, tool: tools/slow, with: { ms: "\${{ inputs.ms }}" } }
`;

const working = `
workflow: working
inputs: { ms: { type: integer, default: 60000 } }
steps:
  - { id: work, tool: tools/slow, with: { ms: "\${{ inputs.ms }}" }, timeout: 2m }
`;

const parent = `
workflow: parent
steps:
  - { id: child, workflow: greeting, with: { name: "the child" } }
  - id: both
    parallel:
      - { id: one, set: { n: 1 } }
      - { id: two, needs: [one], set: { n: 2 } }
`;

/** The server dies after the effect and before the answer. */
const doubtful = `
workflow: doubtful
inputs: { how: { type: string } }
steps:
  - switch:
      - when: inputs.how == "crash"
        steps: [{ id: crashed, tool: tools/crash, with: { amount: 7 }, ifUnknown: ask }]
      - when: inputs.how == "lost"
        steps: [{ id: lost, tool: tools/crash, with: { amount: 9 } }]
      - else: [{ id: written, tool: tools/write, with: { amount: 5 } }]
`;

const moody = `
workflow: moody
steps:
  - { id: found, tool: moody/lookup, with: { order: A } }
`;

const nasty = `
workflow: nasty
title: ${JSON.stringify(`${hostile.html} ${hostile.rightToLeft}`)}
inputs: { text: { type: string }, word: { type: string, default: short } }
steps:
  - { id: said, title: ${JSON.stringify(hostile.html)}, tool: tools/echo, with: { message: "\${{ inputs.text }}" } }
  - { id: long, tool: tools/echo, with: { message: "\${{ inputs.word }}" } }
  - { id: asked, ask: "\${{ inputs.text }}", form: { approve: { type: boolean, title: ${JSON.stringify(hostile.html)} } } }
  - { id: broken, tool: tools/fail, with: { message: "\${{ inputs.text }}" } }
`;

/** Its answer has a picture, and a document that could run something. */
const picture = `
workflow: picture
steps:
  - id: drawn
    tool: tools/malformed
    effect: read
    with:
      result:
        content:
          - { type: image, mimeType: image/png, data: iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg== }
          - { type: image, mimeType: image/svg+xml, data: PHN2Zy8+ }
  - { id: large, tool: tools/huge, effect: read, with: { bytes: 5000000 } }
`;

export const workflowTexts = [
  greeting,
  refunds,
  approval,
  items,
  crowd,
  patient,
  working,
  parent,
  doubtful,
  moody,
  nasty,
  picture,
];
