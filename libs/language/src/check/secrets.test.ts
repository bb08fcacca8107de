import { expect, test } from 'vitest';

import { checkWorkflow } from '../parseWorkflow.ts';
import { type SecretBinding, whyNotUsed } from '../servers/secretBinding.ts';

const workflow = `workflow: w
on: [{ webhook: ci, secret: CI_HOOK }]
steps:
  - { id: a, tool: s/t, with: { token: "\${{ secrets.TOKN }}" } }
`;

const told = (names?: readonly string[]) =>
  checkWorkflow(workflow, names && { secrets: new Map(names.map((name) => [name, {}])) })
    .findings.filter(({ code }) => code === 'unknown-secret')
    .map(({ severity, line, message, hint }) => [severity, line, message, hint]);

test('a secret that is not stored yet is warned of, with the nearest one or the command that sets it', () => {
  expect(told(['TOKEN'])).toEqual([
    ['warning', 2, 'No secret "CI_HOOK" is stored yet.', 'set it with `baton secrets set CI_HOOK`'],
    ['warning', 4, 'No secret "TOKN" is stored yet.', 'did you mean "TOKEN"?'],
  ]);
});

test('the nearest secret is not named where this workflow may not use it', () => {
  const hint = (binding: SecretBinding) =>
    checkWorkflow(workflow, { secrets: new Map(Object.entries({ CI_HOOK: {}, TOKEN: binding })) }).findings.map(
      (finding) => finding.hint,
    );
  const set = 'set it with `baton secrets set TOKN`';
  expect(hint({ workflows: ['w'] })).toEqual(['did you mean "TOKEN"?']);
  expect(hint({ workflows: ['v'] })).toEqual([set]);
  expect(hint({ servers: ['t'] })).toEqual([set]);
});

test('a secret that is stored, or of which nothing is known, is not spoken of', () => {
  expect(told(['CI_HOOK', 'TOKN'])).toEqual([]);
  expect(told()).toEqual([]);
});

const bound = (CI_HOOK: SecretBinding, TOKN: SecretBinding) =>
  checkWorkflow(workflow, { secrets: new Map(Object.entries({ CI_HOOK, TOKN })) }).findings.flatMap(
    ({ code, line, message }) => (code === 'secret-bound-elsewhere' ? [[line, message]] : []),
  );

test('a secret that is bound to other servers is refused, and one of other workflows is one that is not stored', () => {
  expect(bound({ workflows: ['v', 'w'], servers: [] }, { workflows: ['w'], servers: ['s'] })).toEqual([]);
  const { findings } = checkWorkflow(workflow, { secrets: new Map() });
  const others = new Map<string, SecretBinding>([
    ['CI_HOOK', { workflows: ['v/*'] }],
    ['TOKN', { workflows: [] }],
  ]);
  expect(findings.map(({ code }) => code)).toContain('unknown-secret');
  expect(checkWorkflow(workflow, { secrets: others }).findings).toEqual(findings);
  expect(bound({}, { servers: ['t', 'u'] })).toEqual([
    [4, 'The secret "TOKN" is bound to the servers "t", "u", and not to "s".'],
  ]);
});

test('what is bound to workflows is for no inline workflow, under any name', () => {
  const use = { workflow: { id: 'w', isDeployed: false }, server: 's' };
  expect(whyNotUsed('TOKN', { workflows: ['w'] }, use)).toContain('this workflow is not deployed');
  expect(whyNotUsed('TOKN', { servers: ['s'] }, use)).toBeUndefined();
});

test('a server that is for other workflows is one that is not configured', () => {
  const text = 'workflow: shop/orders\nsteps:\n  - { tool: bank/pay }\n  - { prompt: bank/pay }\n';
  const offer = { kind: 'known', tools: [{ name: 'pay', inputSchema: {} }], prompts: [], resources: [] } as const;
  const found = (servers: readonly (readonly [string, readonly string[] | undefined])[]) =>
    checkWorkflow(text, {
      servers: new Map(servers.map(([name, allow]) => [name, { ...offer, resourceTemplates: [], allow }])),
    }).findings;
  expect(found([['bank', ['payments/*']]])).toEqual(found([]));
  expect(found([]).map(({ code }) => code)).toEqual(['unknown-server', 'unknown-server']);
  expect(found([['bank', ['shop/*']]]).map(({ code }) => code)).not.toContain('unknown-server');
});
