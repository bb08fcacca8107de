/** Forty tasks: eight kinds of work in five houses. */
import type { JsonObject } from '@baton/primitives';

import type { AuthoringTask, TaskTool } from './task.ts';

interface House {
  readonly name: string;
  /** What is looked up, and by what. */
  readonly thing: string;
  readonly list: string;
  readonly get: string;
  readonly write: string;
  readonly flag: string;
  readonly people: string;
}

const houses: readonly House[] = [
  {
    name: 'tracker',
    thing: 'issue',
    list: 'tracker/list_issues',
    get: 'tracker/get_issue',
    write: 'chat/post',
    flag: 'open',
    people: 'team',
  },
  {
    name: 'crm',
    thing: 'customer',
    list: 'crm/list_customers',
    get: 'crm/get_customer',
    write: 'mail/send',
    flag: 'active',
    people: 'sales',
  },
  {
    name: 'shop',
    thing: 'order',
    list: 'shop/list_orders',
    get: 'shop/get_order',
    write: 'pager/notify',
    flag: 'unpaid',
    people: 'warehouse',
  },
  {
    name: 'files',
    thing: 'document',
    list: 'files/list_documents',
    get: 'files/get_document',
    write: 'archive/store',
    flag: 'stale',
    people: 'editors',
  },
  {
    name: 'fleet',
    thing: 'machine',
    list: 'fleet/list_machines',
    get: 'fleet/get_machine',
    write: 'radio/say',
    flag: 'down',
    people: 'operators',
  },
];

const text = { type: 'string' } as const;
const item = {
  type: 'object',
  properties: { id: text, title: text, state: text, owner: text },
  required: ['id', 'title', 'state', 'owner'],
  additionalProperties: false,
};

function toolsOf({ list, get, write }: House): readonly TaskTool[] {
  return [
    {
      name: list,
      does: 'Lists all of them.',
      effect: 'read',
      inputSchema: { type: 'object', properties: {}, additionalProperties: false },
      outputSchema: { type: 'object', properties: { items: { type: 'array', items: item } }, required: ['items'] },
    },
    {
      name: get,
      does: 'One of them, by its id.',
      effect: 'read',
      inputSchema: { type: 'object', properties: { id: text }, required: ['id'], additionalProperties: false },
      outputSchema: item,
    },
    {
      name: write,
      does: 'Tells people something.',
      effect: 'write',
      inputSchema: {
        type: 'object',
        properties: { to: text, text },
        required: ['to', 'text'],
        additionalProperties: false,
      },
    },
  ];
}

const one = ({ flag }: House, id: string, state = flag, owner = `owner-${id}`): JsonObject => ({
  id,
  title: `title of ${id}`,
  state,
  owner,
});

type Kind = (house: House) => Pick<AuthoringTask, 'words' | 'cases' | 'attempts'>;

/** The workflow of each kind is handed in wrong first where there is a slip that is easily made. */
const kinds: Readonly<Record<string, Kind>> = {
  'tell-one': (house) => {
    const right = `workflow: tell-one
inputs: { id: { type: string } }
steps:
  - { id: found, tool: ${house.get}, effect: read, with: { id: "\${{ inputs.id }}" } }
  - { tool: ${house.write}, with: { to: "\${{ steps.found.output.owner }}", text: "\${{ steps.found.output.title }}" } }
`;
    return {
      words: `Given the id of a ${house.thing}, send its title to its owner.`,
      cases: [
        {
          inputs: { id: 'a1' },
          answers: { [house.get]: one(house, 'a1') },
          calls: [{ target: house.write, with: { to: 'owner-a1', text: 'title of a1' } }],
        },
      ],
      attempts: [right.replace('output.owner', 'output.ownr'), right],
    };
  },
  'tell-each': (house) => {
    const right = `workflow: tell-each
steps:
  - { id: all, tool: ${house.list}, effect: read }
  - id: each
    forEach: \${{ steps.all.output.items.filter(x, x.state == "${house.flag}") }}
    steps:
      - { tool: ${house.write}, with: { to: "\${{ item.owner }}", text: "\${{ item.title }}" } }
`;
    const items = [one(house, 'b1'), one(house, 'b2', 'done'), one(house, 'b3')];
    return {
      words: `For every ${house.thing} whose state is "${house.flag}", send its title to its owner.`,
      cases: [
        {
          inputs: {},
          answers: { [house.list]: { items } },
          calls: ['b1', 'b3'].map((id) => ({
            target: house.write,
            with: { to: `owner-${id}`, text: `title of ${id}` },
          })),
        },
        { inputs: {}, answers: { [house.list]: { items: [] } }, calls: [] },
      ],
      attempts: [
        right.replace('    forEach: ${{ steps.all.output.items.filter', '    forEach: ${{ steps.all.output.filter'),
        right,
      ],
    };
  },
  'count-all': (house) => {
    const right = `workflow: count-all
steps:
  - { id: all, tool: ${house.list}, effect: read }
  - tool: ${house.write}
    with: { to: ${house.people}, text: "\${{ steps.all.output.items.size() }} in all, \${{ steps.all.output.items.filter(x, x.state == "${house.flag}").size() }} ${house.flag}" }
`.replace(/text: "(.*)" \}\n/, (_, inner: string) => `text: '${inner}' }\n`);
    const items = [one(house, 'c1'), one(house, 'c2', 'done')];
    return {
      words: `Tell "${house.people}" how many there are of each ${house.thing}: the text is "N in all, M ${house.flag}", where M counts those in the state "${house.flag}".`,
      cases: [
        {
          inputs: {},
          answers: { [house.list]: { items } },
          calls: [{ target: house.write, with: { to: house.people, text: `2 in all, 1 ${house.flag}` } }],
        },
      ],
      attempts: [right],
    };
  },
  'two-at-once': (house) => {
    const right = `workflow: two-at-once
inputs: { first: { type: string }, second: { type: string } }
steps:
  - parallel:
      - { id: a, tool: ${house.get}, effect: read, with: { id: "\${{ inputs.first }}" } }
      - { id: b, tool: ${house.get}, effect: read, with: { id: "\${{ inputs.second }}" } }
  - { tool: ${house.write}, with: { to: ${house.people}, text: "\${{ steps.a.output.title }} and \${{ steps.b.output.title }}" } }
`;
    return {
      words: `Given two ids, \`first\` and \`second\`, look both up at the same time and tell "${house.people}": the two titles with " and " between them.`,
      cases: [
        {
          inputs: { first: 'd1', second: 'd2' },
          answers: { [house.get]: { by: 'id', each: { d1: one(house, 'd1'), d2: one(house, 'd2') } } },
          calls: [{ target: house.write, with: { to: house.people, text: 'title of d1 and title of d2' } }],
        },
      ],
      attempts: [right.replace('  - parallel:', '  - paralel:'), right],
    };
  },
  'ask-first': (house) => {
    const right = `workflow: ask-first
inputs: { id: { type: string } }
steps:
  - { id: found, tool: ${house.get}, effect: read, with: { id: "\${{ inputs.id }}" } }
  - id: ok
    ask: "Tell \${{ steps.found.output.owner }}?"
    form: { approve: { type: boolean } }
  - if: steps.ok.output.approve
    tool: ${house.write}
    with: { to: "\${{ steps.found.output.owner }}", text: "\${{ steps.found.output.title }}" }
`;
    const answers = { [house.get]: one(house, 'e1') };
    const told = { target: house.write, with: { to: 'owner-e1', text: 'title of e1' } };
    return {
      words: `Given the id of a ${house.thing}, ask a person ("approve", yes or no) and only then send its title to its owner.`,
      cases: [
        { inputs: { id: 'e1' }, answers, says: { approve: true }, calls: [told] },
        { inputs: { id: 'e1' }, answers, says: { approve: false }, calls: [] },
      ],
      attempts: [right.replace('  - if: steps.ok.output.approve\n    tool', '  - tool'), right],
    };
  },
  'when-it-fails': (house) => {
    const right = `workflow: when-it-fails
inputs: { id: { type: string } }
steps:
  - id: found
    tool: ${house.get}
    effect: read
    with: { id: "\${{ inputs.id }}" }
    onError:
      - steps:
          - { tool: ${house.write}, with: { to: ${house.people}, text: "\${{ inputs.id }} cannot be found" } }
`;
    return {
      words: `Look up a ${house.thing} by its id. Only if that fails, tell "${house.people}": the id, then " cannot be found".`,
      cases: [
        {
          inputs: { id: 'f1' },
          answers: {},
          failing: [house.get],
          calls: [{ target: house.write, with: { to: house.people, text: 'f1 cannot be found' } }],
        },
        { inputs: { id: 'f1' }, answers: { [house.get]: one(house, 'f1') }, calls: [] },
      ],
      attempts: [right.replace('onError', 'onErorr'), right],
    };
  },
  'one-or-other': (house) => {
    const right = `workflow: one-or-other
inputs: { id: { type: string } }
steps:
  - { id: found, tool: ${house.get}, effect: read, with: { id: "\${{ inputs.id }}" } }
  - switch:
      - when: steps.found.output.state == "${house.flag}"
        steps: [{ tool: ${house.write}, with: { to: "\${{ steps.found.output.owner }}", text: "${house.flag}" } }]
      - else: [{ tool: ${house.write}, with: { to: ${house.people}, text: fine } }]
`;
    return {
      words: `Given the id of a ${house.thing}: if its state is "${house.flag}", send "${house.flag}" to its owner; otherwise send "fine" to "${house.people}".`,
      cases: [
        {
          inputs: { id: 'g1' },
          answers: { [house.get]: one(house, 'g1') },
          calls: [{ target: house.write, with: { to: 'owner-g1', text: house.flag } }],
        },
        {
          inputs: { id: 'g1' },
          answers: { [house.get]: one(house, 'g1', 'done') },
          calls: [{ target: house.write, with: { to: house.people, text: 'fine' } }],
        },
      ],
      attempts: [right],
    };
  },
  'one-digest': (house) => {
    const right = `workflow: one-digest
on: [{ schedule: "0 7 * * 1-5", timezone: UTC }]
steps:
  - { id: all, tool: ${house.list}, effect: read }
  - { tool: ${house.write}, with: { to: ${house.people}, text: "\${{ steps.all.output.items.map(x, x.title).join(\\", \\") }}" } }
`;
    const items = [one(house, 'h1'), one(house, 'h2')];
    return {
      words: `Every weekday at seven in the morning (UTC), send "${house.people}" the titles of every ${house.thing} in one text, with ", " between them.`,
      cases: [
        {
          inputs: {},
          answers: { [house.list]: { items } },
          calls: [{ target: house.write, with: { to: house.people, text: 'title of h1, title of h2' } }],
        },
      ],
      attempts: [right.replace('schedule: "0 7 * * 1-5"', 'schedule: "0 25 * * 1-5"'), right],
    };
  },
};

export const tasks: readonly AuthoringTask[] = Object.entries(kinds).flatMap(([kind, make]) =>
  houses.map((house) => ({ name: `${kind} of ${house.name}`, tools: toolsOf(house), ...make(house) })),
);
