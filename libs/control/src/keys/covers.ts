/** Whether one set of rights allows all that another one allows. */
import { type Effect, coversPattern, effectStrength } from '@baton/language';

import { type Principal, type Rights, may } from './scopes.ts';

export const covers = (own: Rights, wanted: Rights): boolean =>
  hasScopes(own, wanted) &&
  (own.workflows === undefined ||
    (wanted.workflows !== undefined &&
      [...wanted.workflows].every((one) => coversPattern(own.workflows ?? [], one)))) &&
  strengthOf(own.effects) >= strengthOf(wanted.effects);

/** A key has no scope for values, and sees those of the runs that it may read. */
function hasScopes(own: Rights & Pick<Principal, 'hidesValues'>, { scopes }: Rights): boolean {
  const seesValues = may(own, ['runs:values']) || (may(own, ['runs:read', 'runs:write']) && isKey(own));
  return [...scopes].every((scope) => (scope === 'runs:values' ? seesValues : may(own, [scope as 'admin'])));
}

const isKey = (rights: object): boolean => 'id' in rights;

const strengthOf = (effects: Effect | undefined): number => effectStrength[effects ?? 'write'];
