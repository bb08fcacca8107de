/**
 * Every finding there is: what `baton check`, REST and editors report, as one table.
 * docs/reference/findings.md is generated from it. A code never changes its meaning.
 */
import { expressionFindings } from './findings/expressionFindings.ts';
import { fileFindings } from './findings/fileFindings.ts';
import type { FindingSpec } from './findings/findingSpec.ts';
import { formFindings } from './findings/formFindings.ts';
import { schemaFindings } from './findings/schemaFindings.ts';
import { serverFindings } from './findings/serverFindings.ts';
import { stepFindings } from './findings/stepFindings.ts';
import { triggerFindings } from './findings/triggerFindings.ts';

export const findingCodes = {
  ...fileFindings,
  ...formFindings,
  ...stepFindings,
  ...expressionFindings,
  ...schemaFindings,
  ...triggerFindings,
  ...serverFindings,
};

export type FindingCode = keyof typeof findingCodes;

export const severityOf = (code: FindingCode): FindingSpec['severity'] => findingCodes[code].severity;
