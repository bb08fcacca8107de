/** What an author is told to do next, after a deployment, a trial, a replay or a lesson. */

/** `triggers`: in words. */
export function nextAfterDeploy(id: string, version: number, triggers: readonly string[]): string {
  const starts = triggers.length === 0 ? '' : ` It is started by ${triggers.join('; ')}.`;
  return `Version ${version} of ${id} is armed.${starts} Start it now with run_workflow.`;
}

/** `isFixed`: the answer has the text with the certain corrections. */
export function nextAfterCheck(errors: number, isFixed: boolean): string {
  if (errors === 0) return 'Try it with try_workflow, then deploy_workflow.';
  return isFixed
    ? 'Go on from `fixed`, where all that is certain is corrected: correct the rest of the errors, and check again.'
    : 'Correct the errors, and check again.';
}

export function nextAfterTrial({ status, error, invented, unused }: Trial): string {
  if (status === 'refused')
    return error?.code === 'invalid-answer'
      ? 'Give in `answers`, by its path, an answer that fits the form of the question, and try again.'
      : 'Give `inputs` that fit, and try again.';
  const failed = status === 'succeeded' ? '' : whyNot(status, error?.code, invented);
  if (unused !== undefined) {
    const names = unused.join(', ').slice(0, 200);
    return `${failed} Nothing asked for the answers ${names}: name them by server/tool, \`sample\`, or the path of a step.`.trim();
  }
  if (failed !== '') return failed;
  if (invented.length === 0) return 'It succeeds: deploy it with deploy_workflow.';
  return 'It succeeds with generated answers for `invented`: give real ones where steps read them, or deploy it with deploy_workflow.';
}

/** What to do about a trial that did not succeed. */
function whyNot(status: string, code: string | undefined, invented: readonly string[]): string {
  if (status === 'waiting') return 'It waits for ever: give it what it waits for, or a time at which it gives up.';
  if (code === 'repeat-exhausted' && invented.length > 0)
    return 'Its rounds do not end with answers that are made up: give in `answers`, by the tool, { "$sequence": […] } with the answers of the rounds.';
  return 'It fails: look at the step that failed, and give the answers that the tools really give.';
}

export const nextAtPlace =
  'Correct the source below the comment, remove the comment, and call repair_workflow again with `source`.';

/** No step of the source is marked. */
export function nextAfterFailure({ error, fix }: Pick<RunExplanation, 'error' | 'fix'>): string {
  return error === undefined
    ? fix
    : 'The run failed as a whole, so no step of the source is marked: correct it, and call repair_workflow again with `source`.';
}

/** `own`: the replay of the run that is being repaired. */
export function nextAfterReplay(own: (Pick<Trial, 'invented'> & { readonly now: string }) | undefined): string {
  if (own?.now !== 'succeeded') return 'The run would still have failed: look at its error.';
  if (own.invented.length === 0) return 'The run would have succeeded: deploy it with deploy_workflow.';
  const names = own.invented.join(', ').slice(0, 200);
  return `The run would have gone on, but no answer of ${names} is recorded: be sure of them, then deploy it with deploy_workflow.`;
}

export function nextAfterLearning(
  { replay, questions, notes }: Pick<LearnedWorkflow, 'replay' | 'questions' | 'notes'>,
  isWrong: boolean,
): string {
  if (!replay.same) return 'It does not make the same calls: correct it where the differences are.';
  if (isWrong) return 'It makes the same calls, but cannot be deployed as it is: correct it with check_workflow.';
  const looks = notes.filter(({ note }) => note.startsWith('look:')).length;
  const doubts = questions.length + looks;
  if (doubts === 0) return 'It makes the same calls, and nothing in it is doubtful: deploy it with deploy_workflow.';
  const asked = questions.length === 0 ? '' : ' Ask the person the `questions`, and call again with `answers`.';
  const marked = looks === 0 ? '' : ' Look at what is marked `# look:`, and correct it.';
  const these = doubts === 1 ? 'one doubt' : `${doubts} doubts`;
  return `It makes the same calls for the inputs of the session, and perhaps not for others: settle ${these} first.${asked}${marked} Do not deploy it before.`;
}
import type { RunExplanation, LearnedWorkflow, Trial } from '@baton/control';
