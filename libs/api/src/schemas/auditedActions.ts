/** The actions on the installation that the audit trail records. */
export const auditedActions = [
  'audit.begun',
  'key.created',
  'key.revoked',
  'session.begun',
  'session.ended',
  'session.code-created',
  'secret.set',
  'secret.deleted',
  'server.login',
  'server.logout',
  'workflow.deployed',
  'workflow.deleted',
  'workflow.paused',
  'workflow.resumed',
  'worker.drained',
  'schedule.paused',
  'schedule.resumed',
  'schedule.triggered',
  'schedule.backfilled',
  'schedule.refused',
  'schedule.renamed',
  'run.forged',
  'runs.removed',
  'records.removed',
] as const;

export type AuditedAction = (typeof auditedActions)[number];
