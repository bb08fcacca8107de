import type { Step } from '@baton/language';

import type { Path } from '../state/path.ts';
import type { StepPlace } from '../state/place.ts';
import type { StepState } from '../state/step.ts';
import type { StopReason } from './decision.ts';

/** A step that has begun, with all that a decision about it reads. */
export interface BegunStep<SomeStep extends Step = Step, State extends StepState = StepState> {
  readonly step: SomeStep;
  readonly state: State;
  /** Where the step runs. */
  readonly place: StepPlace;
  readonly path: Path;
  readonly stop: StopReason;
}
