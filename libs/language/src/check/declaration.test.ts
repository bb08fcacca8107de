import { describe, expect, test } from 'vitest';

import { compile } from '../compile/compile.ts';
import { checkWorkflow } from '../parseWorkflow.ts';
import type { Effect } from '../plan.ts';
import type { ToolDeclaration } from '../servers/declaration.ts';
import { known } from '../testing/offers.ts';
import { checkDeclaration, resolveDeclaration } from './declaration.ts';

const place = { server: 'github', tool: 'create_issue' };

const check = {
  tool: 'list_issues',
  with: { repo: '${{ call.arguments.title }}' },
  happened: 'result.output.issues.exists(i, i.title == call.arguments.title)',
  output: 'result.output.issues[0]',
};

const codes = (declaration: ToolDeclaration, options = known): string[] =>
  checkDeclaration(declaration, place, options).map(({ code, pointer }) => `${code} ${pointer}`);

describe('what the server configuration declares for a tool', () => {
  test('A declared check or undo is held against the tools of the server like a step', () => {
    const undo = { tool: 'old', with: { id: '${{ call.output.number }}' } };
    expect(codes({ check, undo }).filter((one) => !/^(?:may-be-missing|tool-changed)/.test(one))).toEqual([]);
  });

  test.each<[string, Partial<typeof check>, string]>([
    ['a checking tool that is not there', { tool: 'list_isues' }, 'unknown-tool /check/tool'],
    ['a checking tool that writes', { tool: 'create_issue', with: { repo: 'x' } }, 'check-writes /check/tool'],
    [
      'an argument that is not there',
      { with: { repo: 'x', sate: 'open' } as never },
      'unknown-argument /check/with/sate',
    ],
    ['an argument that is missing', { with: {} as never }, 'missing-argument /check/with'],
    [
      'an argument of another kind',
      { with: { repo: '${{ call.arguments.labels }}' } },
      'argument-type /check/with/repo',
    ],
    [
      'a condition that is neither true nor false',
      { happened: 'size(result.output.issues)' },
      'expression-type /check/happened',
    ],
    ['a condition with a mistake', { happened: 'result.output.' }, 'expression-syntax /check/happened'],
    [
      'an argument of the call that the tool does not have',
      { happened: 'call.arguments.titel == "x"' },
      'unknown-field /check/happened',
    ],
    [
      'the output of a call whose answer is lost',
      { happened: 'call.output.number > 0' },
      'unknown-field /check/happened',
    ],
    ['a name that is not there', { happened: 'inputs.title == "x"' }, 'unknown-name /check/happened'],
    ['a step', { happened: 'steps.a.output.x' }, 'unknown-name /check/happened'],
    ['a secret', { with: { repo: '${{ secrets.TOKEN }}' } }, 'secret-misplaced /check/with/repo'],
    ['an output that the check does not find', { output: 'result.output.isues[0]' }, 'unknown-field /check/output'],
    ['an output that the tool never gives', { output: 'result.output.issues' }, 'expression-type /check/output'],
  ])('%s is a mistake', (_, part, expected) => {
    expect(codes({ check: { ...check, ...part } })).toContain(expected);
  });

  test('The texts and names of a declaration are checked without servers, too', () => {
    expect(codes({ check }, {})).toEqual([]);
    expect(codes({ check: { ...check, happened: 'resul.output.x' } }, {})).toEqual(['unknown-name /check/happened']);
  });

  test('A declaration is used as far as it is right, and says why the rest is not', () => {
    const undo = { tool: 'close_issue' };
    const resolved = resolveDeclaration({ check, undo }, place, known);
    expect(resolved).toEqual({ check, unusable: { undo: expect.stringContaining('"close_issue"') as string } });
  });

  test('A declaration is not used while its server cannot be asked', () => {
    const resolved = resolveDeclaration({ check }, { server: 'away', tool: 'x' }, known);
    expect(resolved).toEqual({ unusable: { check: expect.any(String) as string } });
  });
});

describe('a step whose tool has a declared check', () => {
  const page = {
    type: 'object',
    properties: { id: { type: 'integer' } },
    required: ['id'],
    additionalProperties: false,
  };
  const input = { type: 'object' };
  const tools = [
    { name: 'make', inputSchema: input, outputSchema: page },
    { name: 'find', inputSchema: input, outputSchema: page, annotations: { readOnlyHint: true } },
  ];
  const servers = new Map([
    ['s', { kind: 'known', tools, prompts: [], resources: [], resourceTemplates: [] } as const],
  ]);

  /** The step reads `id`, which the tool always answers. */
  function checked(
    output: string | undefined,
    { effect = 'write', rule = '' }: { effect?: Effect; rule?: string } = {},
  ) {
    const effects = (_: string, tool: string) =>
      ({ effect: tool === 'find' ? 'read' : effect, from: 'server' }) as const;
    const declared = { tool: 'find', happened: 'result.output.id > 0', output };
    const declarations = (server: string, tool: string) =>
      tool === 'make' ? resolveDeclaration({ check: declared }, { server, tool }, { servers, effects }) : undefined;
    const options = { servers, effects, declarations };
    const text = `workflow: w
steps:
  - { id: a, tool: s/make${rule} }
  - set: { next: "\${{ steps.a.output.id + 1 }}" }
`;
    const { findings, report, workflow } = checkWorkflow(text, options);
    const step = workflow && compile(workflow, options).steps.steps[0];
    return {
      codes: findings.map(({ code }) => code),
      verdict: report?.references[0]?.verdict,
      isChecked: step?.verb === 'tool' && step.check !== undefined,
    };
  }

  const inDoubt = { codes: ['may-be-missing'], verdict: 'assumed', isChecked: true };
  const proved = { codes: [], verdict: 'proved' };

  test('What a step reads is in doubt where the declared check of its tool does not say the output', () => {
    expect(checked(undefined)).toEqual(inDoubt);
  });

  test('What a step reads is in doubt where the output that is declared may be null', () => {
    expect(checked('result.output.id > 1 ? result.output : null')).toEqual(inDoubt);
  });

  test('What a step reads is proved where the declared output has it', () => {
    expect(checked('result.output')).toEqual({ ...proved, isChecked: true });
  });

  test('What a step reads is proved where the step does not use the declared check', () => {
    expect(checked(undefined, { rule: ', ifUnknown: fail' })).toEqual({ ...proved, isChecked: false });
  });

  test('What a step reads is in doubt where a person is asked, who may not know what the call answered', () => {
    expect(checked('result.output', { rule: ', ifUnknown: ask' })).toEqual({ ...inDoubt, isChecked: false });
  });

  test('A declared check is of a `write` alone: an idempotent call is made again', () => {
    expect(checked(undefined, { effect: 'idempotent' })).toEqual({ ...proved, isChecked: false });
    expect(checked(undefined, { effect: 'idempotent', rule: ', effect: write' })).toEqual(inDoubt);
  });

  test('A declared output that the tool never gives makes the check unusable', () => {
    expect(checked("{'number': 1}").codes).toEqual(['declared-check-unusable']);
  });
});
