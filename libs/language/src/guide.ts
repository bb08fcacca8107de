/** The language on two pages, for a model that writes workflows: examples that check, and the tables of this room. */
import { functions, macros } from '@baton/expressions';

/** Each parses without a finding. */
export const guideExamples: readonly { readonly about: string; readonly text: string }[] = [
  {
    about:
      'Inputs, two calls, and an output. `steps.<id>.output` is what a step gave: its structured content, the value of a JSON text, or the text.',
    text: `workflow: back-up
title: Back up a file
inputs:
  path: { type: string }
steps:
  - id: read
    tool: files/read_text_file
    effect: read
    with: { path: "\${{ inputs.path }}" }
  - id: write
    tool: files/write_file
    with: { path: "\${{ inputs.path }}.backup", content: "\${{ steps.read.text }}" }
outputs: { copied: "\${{ steps.read.text.size() }}" }
`,
  },
  {
    about: 'The same for each item of a list, with a condition, and what became of the items.',
    text: `workflow: greet-all
inputs:
  people: { type: array, items: { type: object, properties: { name: { type: string }, isNew: { type: boolean } }, required: [name, isNew] } }
steps:
  - id: greet
    forEach: \${{ inputs.people.filter(p, p.isNew) }}
    as: person
    maxParallel: 4
    onItemError: collect
    steps:
      - { id: send, tool: mail/send, with: { to: "\${{ person.name }}" } }
    collect: \${{ steps.send.output }}
outputs:
  all: "\${{ steps.greet.output }}"  # an item that failed is { error: { code, message } }
  count: "\${{ steps.greet.count }}"
`,
  },
  {
    about:
      'Calls at once, a choice, a question to a person, a failure that is handled, and a model with a typed answer.',
    text: `workflow: triage
on: [{ tool: {} }, { schedule: "0 7 * * 1-5", timezone: UTC }]
steps:
  - id: both
    parallel:
      - { id: issues, tool: tracker/list, effect: read }
      - { id: team, tool: directory/team, effect: read, onError: ignore }
  - id: judged
    sample:
      append: "How urgent is this? \${{ steps.issues.text }}"
      output: { urgency: { enum: [low, high] } }
  - if: steps.judged.output.urgency == "high"
    id: agreed
    ask: Wake the engineer on duty?
    form: { yes: { type: boolean } }
    expires: 1h
    onExpire: { yes: false }
  - switch:
      - when: steps.judged.output.urgency == "high"
        steps:
          - id: page
            tool: pager/call
            retry: { attempts: 5, delay: 10s }
            timeout: 30s
            onError:
              - steps: [{ tool: mail/send, with: { text: "\${{ error.message }}" } }]
      - else: [{ set: { nothing: true } }]
`,
  },
  {
    about:
      'A webhook, a secret, retries, a write that is taken back, failures by their codes, rounds until something is true, another workflow, and what a run must ensure before it says that it succeeded.',
    text: `workflow: take-order
on:
  - webhook: orders  # POST /v1/hooks/take-order/orders, signed as in Standard Webhooks
    secret: ORDERS_HOOK
    inputs: { id: "\${{ event.body.id }}" }
inputs:
  id: { type: string }
steps:
  - id: booked
    tool: shop/book
    with: { id: "\${{ inputs.id }}", token: "\${{ secrets.SHOP_TOKEN }}" }
    retry: { on: [tool-failed], attempts: 3, delay: 2s, backoff: exponential, maxDelay: 1m }
    undo:
      - { tool: shop/cancel, with: { id: "\${{ inputs.id }}" } }
    onError:
      - match: [timeout, outcome-unknown]
        steps: [{ fail: "The shop did not answer: \${{ error.message }}", code: shop-silent }]
  - repeat:
      max: 20
      every: 30s
      until: steps.state.output.ready == true
      steps:
        - { id: state, tool: shop/state, effect: read, with: { id: "\${{ inputs.id }}" } }
  - { id: told, workflow: tell, with: { id: "\${{ inputs.id }}" }, onError: ignore }
ensure:  # what must be true in the end: a read and a condition; not true: not-achieved, not readable: not-verified
  - { tool: shop/state, effect: read, with: { id: "\${{ inputs.id }}" }, that: result.output.ready == true, within: 1m }
onFailure:
  - { tool: mail/send, with: { text: "\${{ error.message }}" } }
`,
  },
  {
    about:
      'All pages of a list: each round reads the cursor and the items of the previous round, which the first one does not have. An optional input, an argument that is left out where it has no value, a write that is never repeated blindly, a limit of runs and of calls, an item of a list or map that may be missing.',
    text: `workflow: label-urgent
on:
  - { schedule: "0 6 * * *", id: mornings, timezone: Europe/Berlin, catchUp: latest }
  - { every: 90m }                                        # or at: 2030-12-24T10:00, once
  - { webhook: tracker, secret: HOOK, scheme: github, if: "event.body.action == 'opened'", dedupe: "\${{ string(event.body.id) }}" }
concurrency: { key: "\${{ inputs.?team.orValue('all') }}", limit: 1, whenFull: queue }
budget: { toolCalls: 500 }
defaults: { timeout: 30s }
inputs:
  team: { type: string, optional: true }
  owners: { type: object, default: {} }
steps:
  - id: pages
    repeat:
      max: 100
      until: "!has(steps.page.output.nextCursor)"  # or: steps.page.output.next == null
      steps:
        - id: page
          tool: tracker/list
          effect: read
          with: { team: "\${{ inputs.?team }}", cursor: "\${{ steps.pages.?steps.?page.?output.?nextCursor }}" }
        - id: all
          set: { items: "\${{ steps.pages.?steps.?all.?items.orValue([]) + steps.page.output.items }}" }
  - id: label
    forEach: "\${{ steps.pages.steps.all.items.filter(i, i.title.lowerAscii().contains('urgent')) }}"
    maxParallel: 3
    steps:
      - id: labelled
        tool: tracker/add_label
        with: { number: "\${{ item.number }}", owner: "\${{ inputs.owners[?item.team] }}" }
        failIf: has(result.output.error)
        ifUnknown: check  # the answer was lost: a look whether it happened; else it is made again
        check: { tool: tracker/get, with: { number: "\${{ item.number }}" }, happened: "'urgent' in result.output.labels" }
outputs: { numbers: "\${{ steps.pages.steps.all.items.map(i, i.number).sort() }}" }
`,
  },
];

const verbs = [
  ['tool: server/name', 'calls a tool; `with`, `effect`, `retry`, `timeout`, `key`, `ifUnknown`, `failIf`'],
  ['prompt: server/name', 'fetches a prompt'],
  ['resource: server', 'reads a resource; `uri`, `with`'],
  ['sample', 'asks a model; `append` or `messages`, `output` for a typed answer'],
  ['ask', 'asks a person; `form`, `expires`, `onExpire`'],
  ['wait', 'a duration, `{ until }`, or `{ signal, match, timeout }`'],
  ['set', 'names values'],
  ['state', 'remembers values for the next runs, which read `state.<key>`; `ifUnchanged: true`'],
  ['workflow: name', 'runs another workflow; `with`, `await: false` to go on at once'],
  [
    'forEach, parallel, switch, repeat',
    'loops, calls at once (`until: first`: a race), choices, rounds with `max`, `until` and `every`',
  ],
  ['steps', 'a group with one `if`, `onError`, `timeout`, `undo` or `finally`'],
  ['fail', 'fails with a message and a `code`'],
] as const;

export function languageGuide(): string {
  const examples = guideExamples.map(({ about, text }) => `${about}\n\n\`\`\`yaml\n${text}\`\`\``).join('\n\n');
  const table = verbs.map(([verb, about]) => `- \`${verb}\`: ${about}`).join('\n');
  const calls = [...functions.values()].map(({ name, parameters, about }) => {
    const given = parameters.map((one) => one.name + ('isOptional' in one && one.isOptional ? '?' : ''));
    return `- \`${name}(${given.join(', ')})\` ${about}`;
  });
  const forms = [...macros.values()].map(({ form, about }) => `- \`${form}\` ${about}`);
  return [
    '# Baton workflows',
    'A workflow is YAML: a name, inputs, steps that run top to bottom, outputs. Each step has one verb. Values are literal; `${{ … }}` in a text is an expression of CEL, `if` and `when` are bare expressions. A text that is one `${{ … }}` keeps its type.',
    examples,
    `## Verbs\n\n${table}`,
    '## Effects\n\nEvery tool call is `read`, `idempotent` or `write` (the default). A write that may have happened is not repeated, unless the workflow says so or `mcp.json` says that the server honours keys; reads are. What a tool itself reports, `tool-failed`, is retried only with `retry: { on: [tool-failed], … }`. `undo`, `onFailure` and `finally` say what happens when a run does not succeed.',
    '## Expressions\n\nIn scope: `inputs`, `steps.<id>.output` (also `.text`, `.status`, `.error`), the item of a loop and `index`, `error` in handlers, `run`, `secrets.NAME` in `with`. A function may be written after its first argument: `steps.read.text.split("\\n")`. What may be missing: `a.?b.orValue("")`.',
    calls.join('\n'),
    forms.join('\n'),
    '## More\n\n`forEach` with `distribute: true`: each item is a run of its own, on any worker. `workflow` with `await: false`: the child run goes on alone. `parallel` with `until: first`: the others are cancelled. Idioms, triggers and every key are in the documentation: the resources `baton://docs/language`, `…/expressions`, `…/triggers`, `…/idioms`, or `read_language` with `page`.',
  ].join('\n\n');
}
