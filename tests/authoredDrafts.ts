/** Ten workflows as an author first writes them: each with one slip, and with what mends it. */
export const drafts: readonly (readonly [name: string, steps: string, slip: string, right: string])[] = [
  ['say-it', '- { id: said, tool: work/ecko, effect: read, with: { message: hi } }', 'work/ecko', 'work/echo'],
  ['add-up', '- { id: said, tool: every/get-sum, effect: read, wiht: { a: 2, b: 3 } }', 'wiht', 'with'],
  ['ask-twice', '- { id: said, tool: work/echo, effect: raed, with: { message: hi } }', 'raed', 'read'],
  ['note-it', '- { id: said, tool: work/write, wth: { message: noted } }', 'wth', 'with'],
  [
    'go-on',
    '- { id: said, tool: work/echo, effect: read, onEror: ignore, with: { message: hi } }',
    'onEror',
    'onError',
  ],
  ['in-time', '- { id: said, tool: work/echo, effect: read, timout: 10s, with: { message: hi } }', 'timout', 'timeout'],
  ['only-if', '- { id: said, fi: "true", tool: work/echo, effect: read, with: { message: hi } }', 'fi:', 'if:'],
  [
    'try-more',
    '- { id: said, tool: work/echo, effect: read, retyr: { attempts: 2 }, with: { message: hi } }',
    'retyr',
    'retry',
  ],
  ['by-name', '- { id: said, tool: work/echo, effect: read, with: { message: "${{ inputs.nmae }}" } }', 'nmae', 'name'],
  [
    'each-one',
    '- { id: said, forEach: ["a"], stpes: [{ tool: work/echo, effect: read, with: { message: "${{ item }}" } }] }',
    'stpes',
    'steps',
  ],
];
