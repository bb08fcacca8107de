/** Nodes of n8n that contain others, as a `switch` or a loop; and how a step handles a failure. */
import { interpolated } from '@baton/language';

import type { StepDraft } from '../importing.ts';
import { titled } from '../names.ts';
import type { N8nNode } from './readN8n.ts';

/** `bodies`: one of each rule, and last what runs where no rule holds. */
export function switchOf(name: string, rules: readonly string[], bodies: readonly StepDraft[][]): StepDraft[] {
  if (bodies.every((steps) => steps.length === 0)) return [];
  const otherwise = bodies[rules.length] ?? [];
  if (rules.length === 1 && bodies[0]?.length === 0)
    return [{ switch: [{ when: `!(${rules[0]})`, steps: otherwise }] }];
  const cases = rules.map((when, i): StepDraft => {
    const steps = bodies[i] ?? [];
    // A case that does nothing keeps the others from running.
    return { when, steps: steps.length > 0 ? steps : [{ set: { done: true } }] };
  });
  return [{ ...titled(name, ''), switch: [...cases, ...(otherwise.length === 0 ? [] : [{ else: otherwise }])] }];
}

interface LoopParts {
  readonly id: string;
  /** CEL. */
  readonly list: string;
  /** The name of its item. */
  readonly as: string;
  readonly isInOrder: boolean;
  readonly steps: StepDraft[];
}

/** It collects what its last step gives. */
export function loopOf(name: string, { id, list, as, isInOrder, steps }: LoopParts): StepDraft {
  const { id: last, if: when } = steps.at(-1) ?? {};
  const hasOutput = typeof last === 'string' && when === undefined;
  return {
    id,
    ...titled(name, id),
    forEach: interpolated(list),
    as,
    ...(isInOrder ? { maxParallel: 1 } : {}),
    ...(hasOutput ? { collect: interpolated(`steps.${last}.output`) } : {}),
    steps,
  };
}

/** Retries, and what a failure does. */
export function policiesOf({ fields }: N8nNode, step: StepDraft): StepDraft {
  const goesOn = fields['continueOnFail'] === true || fields['onError'] === 'continueRegularOutput';
  const attempts = Math.min(20, Number(fields['maxTries'] ?? 3));
  const delay = `${Number(fields['waitBetweenTries'] ?? 1_000)}ms`;
  const retries = fields['retryOnFail'] === true && ('tool' in step || 'sample' in step);
  return {
    ...(retries ? { retry: { attempts, backoff: 'fixed', delay } } : {}),
    ...(goesOn ? { onError: 'ignore' } : {}),
  };
}
