/** Compiles `ensure`: each entry becomes a step that reads until its condition is true or its time is over. */
import { compileCondition, childOf } from '@baton/expressions';
import { defined } from '@baton/primitives';

import type { EnsureDocument } from '../document/ensure.ts';
import { readOf } from '../document/inner.ts';
import { verbOf } from '../document/step.ts';
import type { EnsureStep, Step } from '../plan.ts';
import type { Compilation, InnerSteps } from './compilation.ts';
import { defaults, noRetry } from './defaults.ts';
import { ms } from './policies.ts';

/** `prefix`: as in `compileBlock`. No id has a dot, so no step of the author has the same key. */
export const ensureSteps = (
  compiling: Compilation,
  entries: readonly EnsureDocument[],
  pointer: string,
  compileStep: InnerSteps['step'],
  prefix = '',
): readonly EnsureStep[] =>
  entries.map((entry, i) => {
    const at = childOf(pointer, i);
    const { title, that, within, every } = entry;
    const read = readOf(entry);
    return {
      verb: 'ensure',
      key: `${prefix}ensure.${i + 1}`,
      ...defined({ title }),
      pointer: at,
      timeout: {},
      retry: noRetry,
      onError: 'fail',
      needs: [],
      body: { pointer: at, steps: [reading(compileStep({ step: read, pointer: at }, `${verbOf(read)}-1`))] },
      that: compileCondition(that, `${at}/that`, compiling.edition),
      ...(within === undefined ? {} : { withinMs: ms(within) }),
      everyMs: every === undefined ? defaults.ensure.everyMs : ms(every),
    };
  });

const reading = (step: Step): Step => (step.verb === 'workflow' ? { ...step, mustRead: true } : step);
