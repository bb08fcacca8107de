/** The kinds of rows of a timeline. */
import type { StepStatus, TracedStep } from '@baton/engine';

export interface StepRow {
  readonly kind: 'step';
  readonly key: string;
  readonly depth: number;
  readonly label: string;
  readonly step: TracedStep;
  /** Number of items or rounds inside. */
  readonly items: number;
  readonly isOpen: boolean;
}

export interface StripRow {
  readonly kind: 'strip';
  readonly key: string;
  readonly depth: number;
  readonly path: string;
  readonly cells: readonly StepStatus[];
  readonly counts: Readonly<Partial<Record<StepStatus, number>>>;
}

interface HeadingRow {
  readonly kind: 'heading';
  readonly key: string;
  readonly depth: number;
  readonly label: string;
}

/** Why several items failed. Opened, it is followed by these items. */
export interface ReasonRow {
  readonly kind: 'reason';
  readonly key: string;
  readonly depth: number;
  readonly label: string;
  readonly isOpen: boolean;
}

/** A step that has not begun. */
export interface PendingRow {
  readonly kind: 'pending';
  /** Its path. */
  readonly key: string;
  readonly depth: number;
  readonly label: string;
  /** The step around it has ended. */
  readonly isTooLate: boolean;
}

export type TimelineRow = StepRow | StripRow | HeadingRow | ReasonRow | PendingRow;
