/** A problem in an audit trail, and its place. */
export interface AuditProblem {
  /** `forged`: without a valid mark or signature of this installation. */
  readonly kind: 'edited' | 'missing' | 'reordered' | 'cut-off' | 'forged';
  /** `entry 12`, `seal 3`, `run <id>`, `run <id>, event 5`, `line 40`. */
  readonly where: string;
  readonly message: string;
}
