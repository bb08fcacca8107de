import { describe, expect, test } from 'vitest';

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
