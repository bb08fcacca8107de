/**
 * An operation of the contract, as every face calls it: what a caller may do is checked here.
 *
 * The route's data names its scopes. The definition of an operation says what it is about and what it causes; without
 * these it does not compile. Nothing else calls `perform`.
 */
import { type Access, type Route, ProblemError } from '@baton/api';

import { withScope, withValues } from '../keys/narrowing.ts';
import { type Principal, checkScopes } from '../keys/scopes.ts';

/** A route that needs a key. */
export type KeyedRoute = Route & { readonly access: Exclude<Access, 'public'> };

/**
 * Whether the answer holds values of runs: what they were given, called, got and asked. `hidden`: `perform` hides them from
 * a caller that does not see those of the workflow. `needed`: such a caller has no use of it, and is refused.
 */
type ValuesInAnswer = 'none' | 'hidden' | 'needed';

interface OperationSpec<Parts, Input, Subject, Answer> {
  /** Absent: `needed` where the route has to do with runs. */
  readonly values?: ValuesInAnswer;
  /** Finds what the operation is about, where it exists for the caller. Rejects with `ProblemError`. */
  readonly reach: (parts: Parts, caller: Principal, input: Input) => Promise<Subject>;
  /**
   * Checks that the caller may cause what follows. `none`: nothing follows that the `effects` of a key limit. `by-start`:
   * a run follows, and what starts it checks the caller. `for-each`: it is about several workflows or runs, and what it
   * causes is checked for each of them; the answer names those that are refused.
   */
  readonly effects:
    | 'none'
    | 'by-start'
    | 'for-each'
    | ((parts: Parts, caller: Principal, subject: Subject, input: Input) => Promise<void>);
  /** Writes the audit entry in the transaction of its change, so that neither exists without the other. */
  readonly perform: (parts: Parts, caller: Principal, input: Input, subject: Subject) => Promise<Answer>;
}

/** Rejects with `ProblemError` and `UnavailableError`. */
export interface Operation<Served extends Route, Parts, Input, Answer> {
  (parts: Parts, caller: Principal, input: Input): Promise<Answer>;
  readonly route: Served;
  /** Whether and where the effects of the caller's key are checked. */
  readonly effects: 'none' | 'by-start' | 'for-each' | 'checked';
  readonly isOfInstallation?: boolean;
}

export const operation = <Served extends KeyedRoute, Parts, Input, Subject, Answer>(
  route: Served,
  { values, reach, effects, perform }: OperationSpec<Parts, Input, Subject, Answer>,
): Operation<Served, Parts, Input, Answer> =>
  scoped(
    route,
    { values, effects: typeof effects === 'string' ? effects : 'checked' },
    async (parts, caller, input) => {
      const subject = await reach(parts, caller, input);
      if (typeof effects === 'function') await effects(parts, caller, subject, input);
      return perform(parts, caller, input, subject);
    },
  );

/** An operation about the installation: what it shows or changes belongs to no workflow, and it causes no run. */
export const ofInstallation = <Served extends KeyedRoute, Parts, Input, Answer>(
  route: Served,
  perform: (parts: Parts, input: Input, caller: Principal) => Promise<Answer>,
): Operation<Served, Parts, Input, Answer> =>
  scoped(route, { values: undefined, effects: 'none', isOfInstallation: true }, (parts, caller, input) =>
    perform(parts, input, caller),
  );

/** An operation that starts a run: what starts it checks the caller, and nothing more is awaited (decision 29). */
export const startOperation = <Served extends KeyedRoute, Parts, Input, Answer>(
  route: Served,
  start: (parts: Parts, caller: Principal, input: Input) => Promise<Answer>,
): Operation<Served, Parts, Input, Answer> => scoped(route, { values: undefined, effects: 'by-start' }, start);

function scoped<Served extends KeyedRoute, Parts, Input, Answer>(
  route: Served,
  { values = valuesOf(route), ...traits }: ScopedTraits<Operation<Served, Parts, Input, Answer>>,
  perform: (parts: Parts, caller: Principal, input: Input) => Promise<Answer>,
): Operation<Served, Parts, Input, Answer> {
  const call = async (parts: Parts, caller: Principal, input: Input): Promise<Answer> => {
    checkScopes(caller, route.access);
    const scoped = withScope(caller, route.access);
    return perform(parts, values === 'needed' ? checkedValues(scoped) : scoped, input);
  };
  return Object.assign(call, { route, ...traits });
}

type ScopedTraits<Made extends { readonly effects: unknown; readonly isOfInstallation?: boolean }> = Pick<
  Made,
  'effects' | 'isOfInstallation'
> & { readonly values: ValuesInAnswer | undefined };

const scopesOfRuns: ReadonlySet<string> = new Set(['runs:read', 'runs:write', 'questions:answer', 'audit:read']);

const valuesOf = ({ access }: KeyedRoute): ValuesInAnswer =>
  [access].flat().some((scope) => scopesOfRuns.has(scope)) ? 'needed' : 'none';

/** Throws `ProblemError` if no grant of the caller shows values. */
function checkedValues(caller: Principal): Principal {
  const seeing = withValues(caller);
  if (seeing.grants === undefined || seeing.grants.length > 0) return seeing;
  throw new ProblemError('forbidden', 'This shows values of runs: it needs a role with the scope runs:values.');
}
