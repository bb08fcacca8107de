/** What a caller over MCP is told to do next about a run, and the questions that it is shown. */
import type { Run } from '@baton/api';
import { type Principal, may, type AskedQuestion } from '@baton/control';

/** Seconds that `get_run` waits at most. */
export const waitSecondsMax = 50;

export const getRunCall = (id: string): string => `get_run with { "id": "${id}" }`;

/** How the caller learns the end of a run that goes on. */
export const endOfRunCall = (id: string): string => `get_run with { "id": "${id}", "waitSeconds": ${waitSecondsMax} }`;

type RunNow = Pick<Run, 'id' | 'status' | 'wakeAt'> & {
  readonly questions?: readonly { readonly id: string }[];
  /** Who has to log in where before the run goes on. */
  readonly awaitedLogin?: { readonly login: string; readonly server: string } | undefined;
};

export function nextForRun(run: RunNow, principal: Principal): string {
  const { id, status, wakeAt, questions = [], awaitedLogin } = run;
  const [question] = questions;
  if (question !== undefined)
    return may(principal, ['questions:answer'])
      ? `Ask the person, then call answer_question with { "id": "${question.id}", "answer": … } in its form.`
      : 'A person answers the question on the page, or with `baton answer`.';
  switch (status) {
    case 'succeeded':
      return 'The run is over: there is nothing more to do.';
    case 'failed':
      return may(principal, ['workflows:write'])
        ? `explain_run with { "id": "${id}" } says what went wrong, and what may help.`
        : `retry_run with { "id": "${id}", "preview": true } says what a retry would repeat.`;
    case 'cancelled':
      return `retry_run with { "id": "${id}" } goes on where the run ended.`;
    case 'waiting':
      if (awaitedLogin !== undefined) {
        const { login, server } = awaitedLogin;
        return `It goes on when ${login} has logged in: on the page, or with \`baton servers login ${server}\`.`;
      }
      return wakeAt === undefined
        ? `It waits for something outside: ${endOfRunCall(id)} tells when it has ended.`
        : `It waits until ${wakeAt} at the latest. ${getRunCall(id)} says what it needs.`;
    case 'queued':
    case 'running':
      return `${endOfRunCall(id)} tells how it ends.`;
  }
}

/** A type, not an interface: answers of the SDK have an index signature. */
export type ShownQuestion = {
  readonly id: string;
  /** Path of the step that asks. */
  readonly step: string;
  readonly message: string;
  readonly form: AskedQuestion['question']['form'];
  readonly url?: string;
};

export const shownQuestion = ({ id, path, question: { message, form, url } }: AskedQuestion): ShownQuestion => ({
  id,
  step: path,
  message,
  form,
  ...(url === undefined ? {} : { url }),
});
