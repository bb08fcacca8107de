/**
 * Method and path of each operation. Plain data without schemas, so that the client needs nothing else at run time.
 *
 * `isKeyed`: takes an `Idempotency-Key`, with which it may be repeated. `isRepeatable`: a POST that may be repeated
 * without one, because it changes nothing or leaves the same state. GET, PUT and DELETE may always be repeated.
 */
export interface Operation {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Parameters as `:name`. */
  readonly path: string;
  readonly isKeyed?: true;
  readonly isRepeatable?: true;
}

export const operations = {
  checkWorkflow: { method: 'POST', path: '/v1/workflows/check', isRepeatable: true },
  deployWorkflow: { method: 'POST', path: '/v1/workflows', isRepeatable: true },
  listWorkflows: { method: 'GET', path: '/v1/workflows' },
  getWorkflow: { method: 'GET', path: '/v1/workflows/:id' },
  getWorkflowVersion: { method: 'GET', path: '/v1/workflows/:id/versions/:version' },
  deleteWorkflow: { method: 'DELETE', path: '/v1/workflows/:id' },
  getWorkflowStats: { method: 'GET', path: '/v1/workflows/:id/stats' },
  pauseWorkflow: { method: 'POST', path: '/v1/workflows/:id/pause', isRepeatable: true },
  resumeWorkflow: { method: 'POST', path: '/v1/workflows/:id/resume', isRepeatable: true },
  getWorkflowState: { method: 'GET', path: '/v1/workflows/:id/state' },
  listStateWrites: { method: 'GET', path: '/v1/workflows/:id/state/:key' },
  setWorkflowState: { method: 'PUT', path: '/v1/workflows/:id/state/:key' },
  getWorkflowSchema: { method: 'GET', path: '/schema/workflow.json' },

  startWorkflow: { method: 'POST', path: '/v1/workflows/:id/runs', isKeyed: true },
  startRun: { method: 'POST', path: '/v1/runs', isKeyed: true },
  listRuns: { method: 'GET', path: '/v1/runs' },
  getCosts: { method: 'GET', path: '/v1/costs' },
  getFailureCauses: { method: 'GET', path: '/v1/runs/causes' },
  listUnknownOutcomes: { method: 'GET', path: '/v1/runs/unknown' },
  getRunHistogram: { method: 'GET', path: '/v1/runs/histogram' },
  cancelRuns: { method: 'POST', path: '/v1/runs/cancel' },
  retryRuns: { method: 'POST', path: '/v1/runs/retry', isKeyed: true },
  getRun: { method: 'GET', path: '/v1/runs/:id' },
  getRunValue: { method: 'GET', path: '/v1/runs/:id/values/:sha256' },
  listRunEvents: { method: 'GET', path: '/v1/runs/:id/events' },
  cancelRun: { method: 'POST', path: '/v1/runs/:id/cancel' },
  retryRun: { method: 'POST', path: '/v1/runs/:id/retry', isKeyed: true },
  undoRun: { method: 'POST', path: '/v1/runs/:id/undo', isRepeatable: true },
  rerunRun: { method: 'POST', path: '/v1/runs/:id/rerun', isKeyed: true },
  evaluateRun: { method: 'POST', path: '/v1/runs/:id/evaluate', isRepeatable: true },
  learnFromRun: { method: 'POST', path: '/v1/runs/:id/learn', isRepeatable: true },
  signalRun: { method: 'POST', path: '/v1/runs/:id/signals/:name' },
  listEvents: { method: 'GET', path: '/v1/events' },
  receiveHook: { method: 'POST', path: '/v1/hooks/:workflow/:hook' },

  listHooks: { method: 'GET', path: '/v1/hooks' },

  listQuestions: { method: 'GET', path: '/v1/questions' },
  getQuestion: { method: 'GET', path: '/v1/questions/:id' },
  answerQuestion: { method: 'POST', path: '/v1/questions/:id/answer' },

  listPolls: { method: 'GET', path: '/v1/polls' },
  getPoll: { method: 'GET', path: '/v1/polls/:id' },
  pollNow: { method: 'POST', path: '/v1/polls/:id/poll', isRepeatable: true },
  resetPoll: { method: 'POST', path: '/v1/polls/:id/reset', isRepeatable: true },
  listSchedules: { method: 'GET', path: '/v1/schedules' },
  getSchedule: { method: 'GET', path: '/v1/schedules/:id' },
  pauseSchedule: { method: 'POST', path: '/v1/schedules/:id/pause', isRepeatable: true },
  resumeSchedule: { method: 'POST', path: '/v1/schedules/:id/resume', isRepeatable: true },
  triggerSchedule: { method: 'POST', path: '/v1/schedules/:id/trigger' },
  backfillSchedule: { method: 'POST', path: '/v1/schedules/:id/backfill' },

  listServers: { method: 'GET', path: '/v1/servers' },
  getServer: { method: 'GET', path: '/v1/servers/:name' },
  listTools: { method: 'GET', path: '/v1/servers/:name/tools' },
  listPrompts: { method: 'GET', path: '/v1/servers/:name/prompts' },
  listResources: { method: 'GET', path: '/v1/servers/:name/resources' },
  getServerStats: { method: 'GET', path: '/v1/servers/:name/stats' },
  testServer: { method: 'POST', path: '/v1/servers/:name/test', isRepeatable: true },
  loginToServer: { method: 'POST', path: '/v1/servers/:name/login' },
  logoutOfServer: { method: 'POST', path: '/v1/servers/:name/logout' },
  approveServer: { method: 'POST', path: '/v1/servers/:name/approve', isRepeatable: true },
  listLogins: { method: 'GET', path: '/v1/logins' },

  listSecrets: { method: 'GET', path: '/v1/secrets' },
  getSecret: { method: 'GET', path: '/v1/secrets/:name' },
  setSecret: { method: 'PUT', path: '/v1/secrets/:name' },
  deleteSecret: { method: 'DELETE', path: '/v1/secrets/:name' },

  listBudgets: { method: 'GET', path: '/v1/budgets' },
  setBudget: { method: 'PUT', path: '/v1/budgets/:name' },
  removeBudget: { method: 'DELETE', path: '/v1/budgets/:name' },

  listKeys: { method: 'GET', path: '/v1/keys' },
  getKey: { method: 'GET', path: '/v1/keys/:id' },
  createKey: { method: 'POST', path: '/v1/keys' },
  revokeKey: { method: 'DELETE', path: '/v1/keys/:id' },

  listPeople: { method: 'GET', path: '/v1/people' },
  addPerson: { method: 'POST', path: '/v1/people' },
  getPerson: { method: 'GET', path: '/v1/people/:id' },
  removePerson: { method: 'DELETE', path: '/v1/people/:id' },
  restorePerson: { method: 'POST', path: '/v1/people/:id/restore', isRepeatable: true },
  createPersonLink: { method: 'POST', path: '/v1/people/:id/links' },
  grantRole: { method: 'POST', path: '/v1/people/:id/grants', isRepeatable: true },
  revokeGrant: { method: 'DELETE', path: '/v1/people/:id/grants/:grant' },
  listRoles: { method: 'GET', path: '/v1/roles' },

  logIn: { method: 'POST', path: '/v1/session' },
  whoAmI: { method: 'GET', path: '/v1/whoami' },
  getSession: { method: 'GET', path: '/v1/session' },
  logOut: { method: 'DELETE', path: '/v1/session' },
  createLoginCode: { method: 'POST', path: '/v1/session/codes' },
  listSessions: { method: 'GET', path: '/v1/sessions' },
  endSession: { method: 'DELETE', path: '/v1/sessions/:id' },

  listClients: { method: 'GET', path: '/v1/clients' },
  disconnectClient: { method: 'DELETE', path: '/v1/clients/:id' },
  getConsent: { method: 'GET', path: '/v1/consents/:id' },
  decideConsent: { method: 'POST', path: '/v1/consents/:id' },

  listAuditEntries: { method: 'GET', path: '/v1/audit' },
  exportAudit: { method: 'GET', path: '/v1/audit/export' },
  listAuditCalls: { method: 'GET', path: '/v1/audit/calls' },
  getAuditKey: { method: 'GET', path: '/v1/audit/key' },
  verifyAudit: { method: 'POST', path: '/v1/audit/verify', isRepeatable: true },
  getRetention: { method: 'GET', path: '/v1/retention' },

  getFence: { method: 'GET', path: '/v1/fence' },
  liftFence: { method: 'POST', path: '/v1/fence/lift' },
  listWorkers: { method: 'GET', path: '/v1/workers' },
  drainWorker: { method: 'POST', path: '/v1/workers/:id/drain', isRepeatable: true },
  getQueue: { method: 'GET', path: '/v1/queue' },
  listSettings: { method: 'GET', path: '/v1/settings' },

  isAlive: { method: 'GET', path: '/healthz' },
  isReady: { method: 'GET', path: '/readyz' },
  getMetrics: { method: 'GET', path: '/metrics' },
} as const satisfies Record<string, Operation>;

export type OperationName = keyof typeof operations;
