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
  'admin',
] as const;

export type Scope = (typeof scopes)[number];

/** Who may use a route: everyone, any key, or keys with one of these scopes. */
export type Access = 'public' | 'any-key' | readonly Scope[];
