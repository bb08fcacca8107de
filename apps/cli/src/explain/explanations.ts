/** What there is to say of each code: of findings of a workflow file and of an import, and of failures of runs. */
import { failureCodes, failureHint } from '@baton/engine';
import { importFindings } from '@baton/import/findings';
import { type FindingSpec, findingCodes } from '@baton/language';

interface CodeExplanation {
  readonly code: string;
  readonly means: string;
  /** Path and anchor of its entry below docs/, without `.md`. */
  readonly entry: string;
}

export interface FindingExplanation extends CodeExplanation, FindingSpec {
  readonly kind: 'finding';
}

export interface FailureExplanation extends CodeExplanation {
  readonly kind: 'failure';
  readonly group: 'Failures of runs';
  readonly isTransient: boolean;
  /** What a person may do, not as a sentence. */
  readonly hint?: string;
}

interface ImportExplanation extends CodeExplanation {
  readonly kind: 'import';
  readonly group: 'Findings of baton import';
  readonly severity: 'error' | 'warning';
  readonly hint: string;
}

export type Explanation = FindingExplanation | FailureExplanation | ImportExplanation;

/** A code may be in the list twice, as a finding and as a failure. */
export const explanations: readonly Explanation[] = [
  ...Object.entries(findingCodes).map(([code, spec]): Explanation => ({
    kind: 'finding',
    code,
    ...spec,
    entry: `reference/findings#${code}`,
  })),
  ...Object.entries(importFindings).map(([code, spec]): Explanation => ({
    kind: 'import',
    code,
    group: 'Findings of baton import',
    ...spec,
    entry: 'importing',
  })),
  ...Object.entries(failureCodes).map(([code, { means, retry }]): Explanation => {
    const hint = failureHint({ code, message: '' });
    return {
      kind: 'failure',
      code,
      group: 'Failures of runs',
      means,
      isTransient: retry === 'transient',
      ...(hint === undefined ? {} : { hint }),
      entry: 'language#effects-and-retries',
    };
  }),
];
