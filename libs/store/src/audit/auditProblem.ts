/** A problem in an audit trail, and its place. */
export interface AuditProblem {
  /** `unmarked`: nothing was found to be changed, but no marks protect the trail yet, as after an upgrade. */
  readonly kind: 'edited' | 'missing' | 'reordered' | 'cut-off' | 'forged' | 'unmarked';
  /** `entry 12`, `seal 3`, `run <id>`, `run <id>, event 5`, `line 40`. */
  readonly where: string;
  readonly message: string;
}
