/** What a caller over MCP is told to do after a mistake whose message does not say it. */
import { type Problem, ProblemError } from '@baton/api';
import { UnavailableError } from '@baton/runner';
import type { CallToolResult } from '@modelcontextprotocol/server';

import { asProblem, problemLines } from '../http/asProblem.ts';

/** No line if the message is enough. */
export function nextAfterMistake(tool: string, { code }: Pick<Problem, 'code'>): readonly string[] {
  if (code === 'workflow-invalid')
    return ['check_workflow shows each of these with its line, and what is to be written instead.'];
  if (code === 'not-found' && /_run$|^learn_session$/.test(tool)) return ['list_runs names the runs.'];
  if (code === 'not-found' && tool === 'send_signal') return ['list_runs names the runs.'];
  if (code === 'not-found' && tool === 'change_schedule') return ['list_schedules names the schedules.'];
  if (tool !== 'run_workflow' && tool !== 'get_workflow') return [];
  if (code === 'not-found') return ['list_workflows names what is deployed.'];
  return code === 'validation-failed' ? ['list_workflows shows the inputs of each workflow.'] : [];
}

/** A mistake that the caller can correct becomes a result that a model reads; any other becomes a protocol error. */
export async function mistakesAsResult<Answer>(
  call: () => Promise<Answer>,
  next: (problem: Problem) => readonly string[],
): Promise<Answer | CallToolResult> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof ProblemError) && !(error instanceof UnavailableError)) throw error;
    const problem = asProblem(error);
    const text = [...problemLines(problem), ...next(problem)].join('\n');
    return { content: [{ type: 'text', text }], isError: true };
  }
}
