/** Names of the authoring tools. No workflow may use one of them. */
export const authoringNames = [
  'find_tools',
  'check_workflow',
  'try_workflow',
  'deploy_workflow',
  'explain_run',
  'repair_workflow',
  'learn_session',
] as const;

export type AuthoringName = (typeof authoringNames)[number];

export const isAuthoring = (name: string): name is AuthoringName =>
  (authoringNames as readonly string[]).includes(name);
