/** Makes blocks of nodes: `switch`, loops, and error handling. */
import { interpolated } from '@baton/expressions';

import type { StepDraft } from '../importing.ts';
import { titled } from '../stepIds.ts';
import type { N8nNode } from './readN8n.ts';

/** `bodies`: one for each rule, and a last one for no matching rule. */
export function switchOf(name: string, rules: readonly string[], bodies: readonly StepDraft[][]): StepDraft[] {
  if (bodies.every((steps) => steps.length === 0)) return [];
  const otherwise = bodies[rules.length] ?? [];
  if (rules.length === 1 && bodies[0]?.length === 0)
    return [{ switch: [{ when: `!(${rules[0]})`, steps: otherwise }] }];
  const cases = rules.map((when, i): StepDraft => {
    const steps = bodies[i] ?? [];
    // A case without steps still matches, and keeps later cases from running.
    return { when, steps: steps.length > 0 ? steps : [{ set: { done: true } }] };
  });
  return [{ ...titled(name, ''), switch: [...cases, ...(otherwise.length === 0 ? [] : [{ else: otherwise }])] }];
}

interface LoopParts {
  readonly id: string;
  /** The CEL of the list. */
  readonly list: string;
  /** The name of its item. */
  readonly as: string;
  readonly isInOrder: boolean;
  readonly steps: StepDraft[];
}

/** A `forEach` that collects the output of its last step. */
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

/** Adds the retries and the error handling of the node to the step. */
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
