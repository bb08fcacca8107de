import { clientChoices } from '@baton/api';
import { type Effect, effectStrength } from '@baton/language';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { limitedTo, rightsOf, tokenResources } from '../oauth/clientChoices.ts';
import { maySee } from './keyAccess.ts';
import { onAnything, onWorkflow, sumOf, withScope } from './narrowing.ts';
import { type Principal, type Rights, may } from './scopes.ts';

interface Operation {
  readonly scope: string;
  readonly workflow: string;
  readonly effect: Effect | undefined;
}

const names = ['a', 'b', 'c'] as const;
const effects = fc.constantFrom<(Effect | undefined)[]>('read', 'idempotent', 'write', undefined);
const scope = fc.constantFrom('runs:read', 'runs:write', 'secrets:use', 'runs:values', 'admin');
const rights: fc.Arbitrary<Rights> = fc.record({
  scopes: fc.uniqueArray(scope, { maxLength: 3 }).map((all) => new Set(all)),
  workflows: fc.option(
    fc.uniqueArray(fc.constantFrom(...names), { minLength: 1 }).map((all) => new Set(all)),
    {
      nil: undefined,
    },
  ),
  effects,
});

const person = (grants: readonly Rights[]): Principal => ({ id: 'p', name: 'p', by: 'p', ...sumOf(grants) });

const strengthOf = (effect: Effect | undefined): number => effectStrength[effect ?? 'write'];

/**
 * Goal: a person may do with several grants what they may do with one of them, and nothing more.
 * Method: any grants, any operation (a scope, a workflow, an effect); the narrowed caller
 * is compared with each grant by itself, as if it were a key.
 */
test('A person may do what one of their grants allows, and no more', () => {
  fc.assert(
    fc.property(
      fc.array(rights, { maxLength: 4 }),
      fc.record({ scope, workflow: fc.constantFrom(...names, undefined), effect: effects }),
      (grants, asked) => {
        const access = [asked.scope as 'runs:read'];
        const scoped = withScope(person(grants), access);
        const acting = asked.workflow === undefined ? onAnything(scoped) : onWorkflow(scoped, asked.workflow);
        const isAllowedBy = (own: Rights): boolean =>
          may(own, access) &&
          (asked.workflow === undefined ? own.workflows === undefined : maySee(own, asked.workflow)) &&
          strengthOf(own.effects) >= strengthOf(asked.effect);
        expect(isAllowedBy(acting)).toBe(grants.some(isAllowedBy));
      },
    ),
  );
});

/**
 * Goal: a client never may more than the person who connected it, and never more than was agreed to.
 * Method: any grants or key, any choice and operation; what the token may is compared with what the person may.
 */
test('A client may do at most what its person may, and what the person agreed to', () => {
  const operation = fc.record({ scope, workflow: fc.constantFrom(...names), effect: effects });
  const choices = fc.record({
    choice: fc.constantFrom(...clientChoices),
    resource: fc.constantFrom(...tokenResources),
    scopes: fc.subarray(['runs:read', 'runs:write', 'workflows:write', 'secrets:use', 'admin']),
  });
  const mayDo = (caller: Principal, { scope: one, workflow, effect }: Operation): boolean => {
    const access = [one as 'runs:read'];
    const acting = onWorkflow(withScope(caller, access), workflow);
    return may(acting, access) && maySee(acting, workflow) && strengthOf(acting.effects) >= strengthOf(effect);
  };
  fc.assert(
    fc.property(
      fc.array(rights, { minLength: 1, maxLength: 4 }),
      fc.boolean(),
      choices,
      operation,
      (grants, isKey, agreed, asked) => {
        const owner = isKey ? ({ id: 'k', name: 'k', by: 'k', ...grants[0] } as Principal) : person(grants);
        const client: Principal = { id: 'c', name: 'c', by: owner.by, ...limitedTo(owner, agreed) };
        if (!mayDo(client, asked)) return;
        expect(mayDo(owner, asked)).toBe(true);
        const { scopes, effects: most } = rightsOf(agreed.choice, agreed.resource);
        // What the runs that it may read hold is not asked for by itself.
        if (asked.scope === 'runs:values') return;
        expect(agreed.scopes).toContain(asked.scope);
        expect(scopes).toContain(asked.scope);
        expect(strengthOf(asked.effect)).toBeLessThanOrEqual(strengthOf(most));
      },
    ),
  );
});

test('Values are shown where a grant that reaches the workflow shows them, and hidden in what all grants reach', () => {
  fc.assert(
    fc.property(fc.array(rights, { minLength: 1, maxLength: 4 }), fc.constantFrom(...names), (grants, workflow) => {
      const caller = person(grants);
      const shows = grants.map((grant) => may(grant, ['runs:values']));
      expect(onWorkflow(caller, workflow).hidesValues !== true).toBe(
        grants.some((grant, at) => maySee(grant, workflow) && shows[at]),
      );
      expect(caller.hidesValues !== true).toBe(shows.every(Boolean));
    }),
  );
});

test('A key is never narrowed: its rights are one set', () => {
  const key: Principal = { id: 'k', name: 'k', by: 'k', scopes: new Set(['runs:read']), effects: 'read' };
  expect([withScope(key, ['admin']), onWorkflow(key, 'a'), onAnything(key)]).toEqual([key, key, key]);
});
