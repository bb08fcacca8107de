/** What is wrong with an audit trail, and where. */
export interface AuditProblem {
  /** `unmarked`: nothing was found, and no marks vouch for it yet, as after an upgrade. */
  readonly kind: 'edited' | 'missing' | 'reordered' | 'cut-off' | 'forged' | 'unmarked';
  /** `entry 12`, `seal 3`, `run <id>`, `run <id>, event 5`, `line 40`. */
  readonly where: string;
  readonly message: string;
}
