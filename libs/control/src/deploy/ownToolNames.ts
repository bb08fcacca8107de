/** Names of Baton's own tools over MCP. No workflow may use one of them. */
export const generalNames = [
  'list_workflows',
  'get_workflow',
  'read_language',
  'run_workflow',
  'list_runs',
  'get_run',
  'cancel_run',
  'retry_run',
  'rerun_run',
  'undo_run',
  'answer_question',
  'send_signal',
  'list_schedules',
  'change_schedule',
  'list_webhooks',
  'test_webhook',
  'list_secrets',
] as const;

/** The tools for authors of workflows. */
export const authoringNames = [
  'find_tools',
  'check_workflow',
  'try_workflow',
  'deploy_workflow',
  'explain_run',
  'repair_workflow',
  'learn_session',
] as const;

export type GeneralName = (typeof generalNames)[number];
export type AuthoringName = (typeof authoringNames)[number];

export const isGeneral = (name: string): name is GeneralName => (generalNames as readonly string[]).includes(name);

export const isAuthoring = (name: string): name is AuthoringName =>
  (authoringNames as readonly string[]).includes(name);

export const isReserved = (name: string): boolean => isGeneral(name) || isAuthoring(name);
