/** What an API key may do. A key without scopes may do nothing; `admin` may do everything. */
export const scopes = [
  'runs:read',
  'runs:write',
  'workflows:write',
  'servers:read',
  'servers:approve',
  'questions:answer',
  'secrets:write',
  'secrets:use',
  'audit:read',
  'metrics',
  'people:write',
  'admin',
] as const;

export type Scope = (typeof scopes)[number];

/** What a role may have besides: a key sees the values of the runs that it may read. */
export const roleScopes = [...scopes, 'runs:values'] as const;

export type RoleScope = (typeof roleScopes)[number];

/** Who may use a route: everyone, any key, or keys with one of these scopes. */
export type Access = 'public' | 'any-key' | readonly Scope[];
