/** How the steps inside a step are decided. `block.ts` hands these on, since what is inside a step is a block again. */
import type { Block, Step } from '@baton/language';

import type { StepPlace } from '../state/place.ts';
import type { BlockVerdict, DecisionInProgress, StopReason } from './decision.ts';

export type DecideBlock = (d: DecisionInProgress, block: Block, place: StepPlace, stop: StopReason) => BlockVerdict;

export type DecideStep = (d: DecisionInProgress, step: Step, place: StepPlace, stop: StopReason) => BlockVerdict;

export interface InnerDecisions {
  readonly decideBlock: DecideBlock;
  readonly decideStep: DecideStep;
}
