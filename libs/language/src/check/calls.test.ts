import { describe, expect, test } from 'vitest';

import { compile } from '../compile/compile.ts';
import { checkWorkflow, type ParsedWorkflow } from '../parseWorkflow.ts';
import type { DecidedEffect, KeySupport } from '../plan.ts';
import { defaultsOf } from '../servers/argumentDefaults.ts';
import type { CheckReport } from '../servers/callReport.ts';
import type { ServerOffer } from '../servers/offer.ts';
import { known } from '../testing/offers.ts';

const check = (rest: string): ParsedWorkflow => checkWorkflow(`workflow: w\n${rest}`, known);

function reported(rest: string): CheckReport {
  const { report, findings } = check(rest);
  if (report === undefined) throw new Error(findings[0]?.message);
  return report;
}

const verdict = (given: string, inputs = '{}'): string | undefined =>
  reported(`inputs: ${inputs}\nsteps:\n  - tool: github/create_issue\n    with: ${given}\n`).calls[0]?.arguments;

describe('arguments are', () => {
  test.each([
    ['written out', '{ title: New, labels: [bug], assignee: null, milestone: { name: one } }'],
    ['a text made of others', '{ title: New, body: "In ${{ run.id }}" }'],
    ['computed, of the right kind', '{ title: New, draft: "${{ 1 > 2 }}", assignee: "${{ run.id }}" }'],
    ['one of several that all fit', "{ title: \"${{ run.version == 1 ? 'first' : 'second' }}\" }"],
    ['a list that is computed', '{ title: New, labels: "${{ run.id.split(\'-\') }}" }'],
  ])('[L-141 L-142 L-144] proved where they are %s', (_, given) => {
    expect(verdict(given)).toBe('proved');
  });

  test('[L-144] proved where an input may be missing, and is then left out', () => {
    const given = '{ title: New, body: "${{ inputs.?body }}" }';
    expect(verdict(given, '{ body: { type: string, optional: true } }')).toBe('proved');
  });

  test.each([
    ['a text may be too short', '{ title: "${{ run.id }}" }', '{}'],
    ['nothing is known of the value', '{ title: New, body: "${{ run.trigger.body }}" }', '{}'],
    [
      'what is needed may be left out',
      '{ title: "${{ inputs.?kind }}" }',
      '{ kind: { type: string, enum: [bug], optional: true } }',
    ],
    ['only some of its values fit', '{ title: "${{ inputs.kind }}" }', '{ kind: { type: string, enum: [a, bug] } }'],
    ['a list may hold anything', '{ title: New, labels: "${{ run.trigger.labels }}" }', '{}'],
  ])('[L-144] assumed where %s', (_, given, inputs) => {
    expect(verdict(given, inputs)).toBe('assumed');
  });

  test('[L-144] a contradiction where they cannot fit', () => {
    expect(verdict('{ title: New, draft: "${{ run.id }}" }')).toBe('contradiction');
  });
});

test('a tool that no other resembles is told those that share a word with it', () => {
  const [server, tools] = ['files', ['read_text_file', 'write_file', 'readMediaFile', 'list', 'search_files']];
  const offered = tools.map((name) => ({ name, inputSchema: { type: 'object' } }));
  const offer: ServerOffer = { kind: 'known', tools: offered, prompts: [], resources: [], resourceTemplates: [] };
  const expected = (tool: string): string | undefined =>
    checkWorkflow(`workflow: w\nsteps:\n  - tool: files/${tool}\n`, { servers: new Map([[server, offer]]) }).findings[0]
      ?.expected;
  expect(expected('read_txt')).toBe('one of its 5 tools, such as read_text_file or readMediaFile');
  expect(expected('delete')).toBe('one of its 5 tools');
});

test('a tool or prompt that the server lists and Baton cannot use is named with the reason', () => {
  const offer: ServerOffer = {
    kind: 'known',
    tools: [{ name: 'reads', inputSchema: { type: 'object' } }],
    prompts: [],
    resources: [],
    resourceTemplates: [],
    leftOut: [{ name: 'read', why: 'description: expected string' }],
  };
  const findings = (step: string) =>
    checkWorkflow(`workflow: w\nsteps:\n  - ${step}\n`, { servers: new Map([['s', offer]]) }).findings;
  const because = 'of the server "s". description: expected string';
  expect(findings('tool: s/read')).toMatchObject([
    { code: 'unknown-tool', line: 3, message: `Baton cannot use the tool "read" ${because}` },
  ]);
  expect(findings('prompt: s/read')).toMatchObject([
    { code: 'unknown-prompt', line: 3, message: `Baton cannot use the prompt "read" ${because}` },
  ]);
  expect(findings('tool: s/other')[0]?.message).not.toContain('cannot use');
});

describe('the report of a check', () => {
  const text = `steps:
  - id: list
    tool: github/list_issues
    with: { repo: a }
  - id: found
    tool: github/search
  - id: away
    tool: away/read
    effect: idempotent
  - id: made
    tool: github/create_issue
    with: { title: "\${{ steps.list.output.issues[0].title }}", body: "\${{ steps.found.output.text }}" }
  - set: { v: "\${{ steps.found.text }}", w: "\${{ steps.list.output.isues }}" }
`;

  test('[L-081] says of each call what it does to the world, and who decided that', () => {
    const effects = reported(text).calls.map(({ target, effect }) => [target, effect?.effect, effect?.from]);
    expect(effects).toEqual([
      ['github/list_issues', 'read', 'annotations'],
      ['github/search', 'read', 'annotations'],
      ['away/read', 'idempotent', 'step'],
      ['github/create_issue', 'write', 'default'],
    ]);
  });

  test.each([
    ['purge', 'read', 'write', 'destructiveHint: true'],
    ['label', 'read', 'idempotent', 'readOnlyHint: false'],
  ])('warns where %s is called as %s, and the tool promises less', (tool, stated, likely, says) => {
    const { findings } = check(`steps:\n  - tool: mail/${tool}\n    effect: ${stated}\n`);
    expect(findings).toMatchObject([
      {
        code: 'effect-understated',
        severity: 'warning',
        line: 4,
        column: 13,
        expected: likely,
        found: stated,
        message: expect.stringContaining(`\`${says}\``) as string,
        hint: expect.stringContaining(`"effects": { "${tool}": "${stated}" }`) as string,
      },
    ]);
  });

  test('does not warn of an effect that nothing speaks against, or that the operator vouches for', () => {
    const calls = [
      ['inbox', 'read'],
      ['peek', 'read'],
      ['label', 'idempotent'],
      ['send', 'idempotent'],
      ['purge', 'idempotent'],
      ['draft', 'read'],
      ['purge', 'write'],
    ];
    const steps = calls.map(([tool, effect]) => `  - { tool: mail/${tool}, effect: ${effect} }\n`).join('');
    expect(check(`steps:\n${steps}`).findings).toEqual([]);
    const stated = (operator: DecidedEffect['effect']) =>
      checkWorkflow('workflow: w\nsteps: [{ tool: mail/purge, effect: read }]\n', {
        ...known,
        effects: () => ({ effect: operator, from: 'server' }),
      }).findings.map(({ message }) => message);
    expect(stated('read')).toEqual([]);
    expect(stated('idempotent')).toEqual([expect.stringContaining('the server configuration says `idempotent`')]);
  });

  test('says of each call whether it is there, with its place', () => {
    const { calls } = reported(text);
    expect(calls.map(({ exists, line, column }) => [exists, line, column])).toEqual([
      ['proved', 4, 11],
      ['proved', 7, 11],
      ['assumed', 9, 11],
      ['proved', 12, 11],
    ]);
    expect(calls[2]?.reason).toBe('It exited with code 1.');
  });

  test('[L-143] says of each place that reads a result whether it is known to be there', () => {
    const { references } = reported(text);
    expect(references.map(({ to, verdict: one, line }) => [to, one, line])).toEqual([
      ['steps.list', 'proved', 13],
      ['steps.found', 'assumed', 13],
      ['steps.found', 'proved', 14],
      ['steps.list', 'contradiction', 14],
    ]);
  });

  test('assumes everything where no server is known', () => {
    const { report } = checkWorkflow(`workflow: w\n${text}`);
    expect(report?.calls.map(({ exists }) => exists)).toEqual(['assumed', 'assumed', 'assumed', 'assumed']);
  });
});

describe('a schema that a server sends', () => {
  const holding = (inputSchema: object, outputSchema?: object): ParsedWorkflow =>
    checkWorkflow(
      'workflow: w\nsteps:\n  - id: a\n    tool: s/t\n    with: { x: "${{ run.id }}" }\n  - set: { v: "${{ steps.a.output.x.x.x }}" }\n',
      {
        servers: new Map([
          [
            's',
            {
              kind: 'known',
              tools: [{ name: 't', inputSchema: inputSchema as never, outputSchema: outputSchema as never }],
              prompts: [],
              resources: [],
              resourceTemplates: [],
            },
          ],
        ]),
      },
    );

  test('and refers to itself everywhere is not unfolded without end', () => {
    const names = Array.from({ length: 40 }, (_, i) => (i === 0 ? 'x' : `x${i}`));
    const all = {
      type: 'object',
      properties: Object.fromEntries(names.map((name) => [name, { $ref: '#' }])),
      required: names,
    };
    expect(holding({ type: 'object' }, all).findings).toEqual([]);
    expect(holding(all).findings.map(({ code }) => code)).toContain('argument-type');
  });

  test('A schema that a server sends and refers in a circle proves nothing', () => {
    const circle = { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } };
    const { findings, report } = holding(circle, circle);
    expect(findings).toEqual([]);
    expect(report?.calls[0]?.arguments).toBe('assumed');
  });

  test.each([
    ['elsewhere', { $ref: 'https://example.com/a.json' }, 'It refers to a schema elsewhere, which is never fetched.'],
    ['to nowhere', { $ref: '#/$defs/none' }, 'It refers to "#/$defs/none", which is not in the schema.'],
    ['with escapes that are none', { $ref: '#/%zz' }, 'It refers to "#/%zz", which is not in the schema.'],
  ])('and refers %s is taken on trust there, which is said with the keyword and its place', (_, schema, why) => {
    const messageOf = (which: string): string =>
      `In the ${which} schema of the tool "s/t", "$ref" at /$ref is taken on trust, and the rest is checked. ${why}`;
    const input = holding(schema, {});
    expect(input.findings).toMatchObject([{ code: 'assumed', line: 4, message: messageOf('input') }]);
    expect(input.report?.calls).toMatchObject([{ exists: 'proved', arguments: 'assumed', reason: messageOf('input') }]);
    const output = holding({}, schema);
    expect(output.findings).toMatchObject([{ code: 'assumed', line: 4, message: messageOf('output') }]);
    expect(output.report?.calls).toMatchObject([{ exists: 'proved', arguments: 'proved' }]);
  });

  test('A schema that a server sends and cannot be used in many places is not told of each', () => {
    const wrong = Array.from({ length: 9 }, (_, at) => [`p${at}`, { type: 'any' }] as const);
    const { findings } = holding({ type: 'object', properties: { x: {}, ...Object.fromEntries(wrong) } }, {});
    expect(findings).toHaveLength(4);
    expect(findings[3]?.message).toBe('6 more parts of the schemas of the tool "s/t" are taken on trust.');
  });

  test('A schema that a server sends and is too large is taken on trust as a whole', () => {
    const properties = Object.fromEntries(Array.from({ length: 3_000 }, (_, at) => [`p${at}`, { type: 'string' }]));
    const { findings, report } = holding({ type: 'object', properties }, {});
    expect(findings[0]?.message).toMatch(
      /^The input schema of the tool "s\/t" cannot be used: the call is taken on trust\./,
    );
    expect(report?.calls).toMatchObject([{ arguments: 'assumed', reason: findings[0]?.message }]);
  });

  test('A schema that a server sends and requires what it does not describe is called with it, and not without', () => {
    const schema = { type: 'object', properties: { y: {} }, required: ['x'] };
    expect(holding(schema, {}).findings).toEqual([]);
    expect(holding({ ...schema, required: ['x', 'z'] }, {}).findings).toMatchObject([{ code: 'missing-argument' }]);
    expect(holding({ ...schema, additionalProperties: false }, {}).findings).toMatchObject([
      { code: 'assumed', message: expect.stringContaining('It forbids "x", which is required.') as string },
    ]);
  });

  test('A schema that a server sends and requires a key that Baton accepts nowhere cannot be called, which is said', () => {
    const schema = { type: 'object', properties: { x: {} }, required: ['constructor'] };
    expect(holding(schema, {}).findings).toMatchObject([
      { code: 'missing-argument', message: expect.stringContaining('Baton accepts no key of that name') as string },
    ]);
  });
});

describe('a required argument need not be written', () => {
  const inputSchema = {
    type: 'object',
    properties: { scale: { enum: ['css', 'device'], default: 'css' }, bad: { type: 'string', default: 7 }, key: {} },
    required: ['scale', 'bad', 'key'],
    additionalProperties: false,
  };
  const text = 'workflow: w\nsteps:\n  - { tool: s/t, with: { bad: x } }\n';
  const held = (idempotency?: KeySupport): string[] => {
    const servers = new Map<string, ServerOffer>([
      ['s', { kind: 'known', tools: [{ name: 't', inputSchema }], prompts: [], resources: [], resourceTemplates: [] }],
    ]);
    const effects = (): DecidedEffect => ({ effect: 'write', from: 'default', ...(idempotency && { idempotency }) });
    return checkWorkflow(text, { servers, effects }).findings.map(({ message }) => message);
  };

  test('where the tool has a default of the right kind for it, or where it holds the key', () => {
    expect(held({ argument: 'key' })).toEqual([]);
    expect(held('meta')).toEqual(['The tool "s/t" needs the argument "key".']);
    expect(defaultsOf(inputSchema)).toEqual({ scale: 'css' });
  });

  test('and is sent as the tool has it', () => {
    const { workflow } = checkWorkflow(text);
    if (workflow === undefined) throw new Error('it does not parse');
    const [step] = compile(workflow, { definitions: () => ({ inputSchema }) }).steps.steps;
    expect(step).toMatchObject({ defaults: { scale: 'css' } });
  });
});

test('the check and the undo of a tool step read the arguments of its call, and an undo its output', () => {
  const codes = (step: string): string[] =>
    checkWorkflow(`workflow: w\nsteps:\n  - ${step}\n`).findings.map(({ code, message }) => `${code} ${message}`);
  const check = (read: string): string =>
    `{ tool: s/add, with: { a: 1 }, effect: write, ifUnknown: check, check: { tool: s/find, with: { a: "\${{ ${read} }}" }, happened: call.arguments.a == 1 } }`;
  const undo = (verb: string): string =>
    `{ ${verb}, undo: { tool: s/remove, with: { a: "\${{ call.arguments.a }}", b: "\${{ call.output.b }}" } } }`;
  expect(codes(check('call.arguments.a'))).toEqual([]);
  expect(codes(check('call.output'))).toEqual([expect.stringContaining('unknown-field There is no "output"')]);
  expect(codes(undo('tool: s/add, with: { a: 1 }'))).toEqual([]);
  expect(codes(undo('steps: [{ tool: s/add, with: { a: 1 } }]'))).toEqual([
    'unknown-name There is no "call" here.',
    'unknown-name There is no "call" here.',
  ]);
});
