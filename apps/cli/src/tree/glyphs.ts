/** A glyph and a colour for each status; the glyph is enough without colour. */
import type { RunStatus, StepStatus } from '@baton/engine';

import type { Paint } from '../output/output.ts';

export type Status = RunStatus | StepStatus;

type Colour = 'green' | 'red' | 'yellow' | 'cyan' | 'dim' | 'magenta';

const looks: Readonly<Record<Status, readonly [glyph: string, colour: Colour]>> = {
  queued: ['◌', 'dim'],
  pending: ['◌', 'dim'],
  running: ['●', 'cyan'],
  waiting: ['◔', 'yellow'],
  retrying: ['↻', 'yellow'],
  succeeded: ['✓', 'green'],
  failed: ['✗', 'red'],
  cancelled: ['⊘', 'magenta'],
  skipped: ['↷', 'dim'],
  unknown: ['!', 'red'],
};

const other: readonly [string, Colour] = ['?', 'dim'];

/** Also for statuses of a newer server. */
const lookOf = (status: string): readonly [string, Colour] =>
  Object.hasOwn(looks, status) ? looks[status as Status] : other;

export const glyphOf = (status: string): string => lookOf(status)[0];

export const colourOf = (status: string, paint: Paint): ((text: string) => string) => paint[lookOf(status)[1]];
