/** What a person can allow a client: four choices, each a set of scopes with the limits that a key can have. */
import { type ClientChoice, clientChoices, type Scope } from '@baton/api';
import { type Effect, effectStrength } from '@baton/language';

import { atGateway, sumOf } from '../keys/narrowing.ts';
import { type Principal, type Rights, may } from '../keys/scopes.ts';

/** The addresses for which there are tokens. A token is good for one of them. */
export const tokenResources = ['/mcp', '/mcp/gateway', '/v1'] as const;

export type TokenResource = (typeof tokenResources)[number];

interface ChoiceRights {
  readonly scopes: readonly Scope[];
  readonly effects?: Effect;
  readonly approve?: 'write';
}

const rights: Readonly<Record<ClientChoice, ChoiceRights>> = {
  read: { scopes: ['runs:read', 'servers:read'], effects: 'read' },
  run: { scopes: ['runs:read', 'runs:write', 'servers:read'] },
  'run-approved': { scopes: ['runs:read', 'runs:write', 'servers:read'], approve: 'write' },
  build: { scopes: ['runs:read', 'runs:write', 'servers:read', 'workflows:write', 'questions:answer'] },
};

/** A call at the gateway needs `runs:write`; a client that may only read calls what reads. */
export const rightsOf = (choice: ClientChoice, resource: TokenResource): ChoiceRights => {
  const { scopes, ...limits } = rights[choice];
  return resource === '/mcp/gateway' && choice === 'read'
    ? { scopes: [...scopes, 'runs:write'], ...limits }
    : { scopes, ...limits };
};

/** What a client can ask for at the address. */
export const scopesOf = (resource: TokenResource): readonly Scope[] => rightsOf('build', resource).scopes;

/** Without it, the choice would allow nothing more than the one before. */
function essential(choice: ClientChoice, resource: TokenResource): Scope {
  if (choice === 'build') return 'workflows:write';
  return choice === 'read' && resource !== '/mcp/gateway' ? 'runs:read' : 'runs:write';
}

/** The choices that the client asks for and the person may give. */
export const offeredChoices = (
  person: Principal,
  resource: TokenResource,
  asked: readonly string[],
): readonly ClientChoice[] =>
  clientChoices.filter((choice) => {
    const scope = essential(choice, resource);
    if (!asked.includes(scope) || !may(person, [scope])) return false;
    if (resource === '/mcp/gateway' && atGateway(person) === undefined) return false;
    return choice !== 'build' || person.approve !== 'write';
  });

export interface TokenRights {
  readonly choice: ClientChoice;
  readonly resource: TokenResource;
  readonly scopes: readonly string[];
}

/** The strongest last. */
const strength: readonly ClientChoice[] = ['read', 'run-approved', 'run', 'build'];

export const weakerChoice = (one: ClientChoice, other: ClientChoice): ClientChoice =>
  strength.indexOf(one) <= strength.indexOf(other) ? one : other;

/**
 * What the words of a `scope` allow that another server wrote: scopes, or choices, which stand for theirs. The strongest
 * choice limits what scopes beside it give. Undefined words: all that a client may have.
 */
export function rightsIn(words: readonly string[] | undefined, resource: TokenResource): TokenRights {
  const choice = strength.findLast((one) => words?.includes(one)) ?? 'build';
  const isNamed = words?.includes(choice) ?? true;
  return { choice, resource, scopes: isNamed ? rightsOf(choice, resource).scopes : (words ?? []) };
}

/** What a token may do: what was agreed to, and at most what the key may. */
export function limitedTo(
  key: Principal,
  { choice, resource, scopes }: TokenRights,
): Pick<Principal, 'scopes' | 'effects' | 'approve' | 'workflows' | 'limits' | 'grants' | 'hidesValues'> {
  const agreed = rightsOf(choice, resource);
  const limited = (own: Rights): Rights => ({
    scopes: new Set(agreed.scopes.filter((scope) => scopes.includes(scope) && may(own, [scope]))),
    effects: weakerEffect(own.effects, agreed.effects),
    workflows: own.workflows,
  });
  const more = { approve: key.approve ?? agreed.approve, limits: key.limits };
  if (key.grants === undefined) return { ...limited(key), ...more };
  // Each grant of a person stays one: two never add up.
  const grants = key.grants.map((grant) => {
    const { scopes: left, ...others } = limited(grant);
    return { ...others, scopes: new Set([...left, ...(may(grant, ['runs:values']) ? ['runs:values'] : [])]) };
  });
  return { ...sumOf(grants), ...more };
}

/** Undefined: any. */
function weakerEffect(a: Effect | undefined, b: Effect | undefined): Effect | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return effectStrength[a] <= effectStrength[b] ? a : b;
}
