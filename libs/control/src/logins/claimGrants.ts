/** What the claims of an identity provider give: conditions in CEL over them, each with a grant. */
import { compileCondition, EvaluationError, type Expression } from '@baton/expressions';
import type { JsonObject } from '@baton/primitives';
import type { StoredGrant } from '@baton/store';

import { type GivenGrant, storedGrant, uniqueGrants } from '../shapes/person.ts';

/** Its condition is good: the settings were checked. */
export interface ClaimRule extends GivenGrant {
  readonly when: string;
}

export class ClaimGrants {
  readonly #rules: readonly { readonly condition: Expression; readonly grant: StoredGrant }[];

  constructor(rules: readonly ClaimRule[]) {
    this.#rules = rules.map(({ when, ...grant }, index) => ({
      condition: compileCondition(when, `/${index}/when`),
      grant: storedGrant(grant),
    }));
  }

  /** A condition that is not exactly true, or that cannot be computed for these claims, gives nothing. */
  of(claims: JsonObject): readonly StoredGrant[] {
    return uniqueGrants(this.#rules.filter(({ condition }) => isTrue(condition, claims)).map(({ grant }) => grant));
  }
}

function isTrue(condition: Expression, claims: JsonObject): boolean {
  try {
    return condition.evaluate(claims) === true;
  } catch (error) {
    if (error instanceof EvaluationError) return false;
    throw error;
  }
}
