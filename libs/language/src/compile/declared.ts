/** Compiles what the server configuration declares for the calls of a tool. */
import { compileCondition } from '@baton/expressions';
import { defined } from '@baton/primitives';

import type { StepDocument } from '../document/step.ts';
import type { Block, CheckPlan } from '../plan.ts';
import type { DeclaredCall, DeclaredCheck } from '../servers/declaration.ts';
import type { Compilation, InnerSteps } from './compilation.ts';

/** `pointer`: the place in the file that names the tool, since the declaration is not in it. */
export function declaredCheck(
  compiling: Pick<Compilation, 'edition'>,
  server: string,
  { happened, output, ...call }: DeclaredCheck,
  pointer: string,
  inner: Pick<InnerSteps, 'step'>,
): CheckPlan {
  const { edition } = compiling;
  return {
    block: declaredCall(server, call, pointer, inner),
    happened: compileCondition(happened, pointer, edition),
    ...(output === undefined ? {} : { output: compileCondition(output, pointer, edition) }),
    isDeclared: true,
  };
}

export function declaredCall(
  server: string,
  { tool, with: written, timeout }: DeclaredCall,
  pointer: string,
  inner: Pick<InnerSteps, 'step'>,
): Block {
  const step: StepDocument = { tool: `${server}/${tool}`, ...defined({ with: written, timeout }) };
  return { pointer, steps: [inner.step({ step, pointer }, 'tool-1')] };
}
