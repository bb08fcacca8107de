/** Operations of questions. */
import { ProblemError, routes } from '@baton/api';
import type { Json } from '@baton/primitives';
import { isRunId } from '@baton/store';

import type { RunAppender } from '../intake/runAppender.ts';
import { maySee } from '../keys/keyAccess.ts';
import type { Principal } from '../keys/scopes.ts';
import { answerQuestion as recordAnswer, checkAnswerEffects } from '../questions/answer.ts';
import { type AskedQuestion, questionsIn, runIdIn } from '../questions/openQuestions.ts';
import { operation } from './operation.ts';
import type { ById, JournalParts, RunRowParts } from './reach.ts';

export const getQuestion = operation(routes.getQuestion, {
  reach: (parts: Pick<JournalParts, 'journal'>, caller, input: ById) => askedQuestion(parts, caller, input),
  effects: 'none',
  perform: async (_parts, _caller, _input, asked) => asked,
});

/** The question, and its answer as it is recorded: with the form's defaults. */
export const answerQuestion = operation(routes.answerQuestion, {
  reach: (parts: RunAppender & RunRowParts, caller, input: ById & { readonly answer: Json }) =>
    askedQuestion(parts, caller, input),
  effects: (parts, caller, asked) => checkAnswerEffects(caller, parts, asked),
  perform: async (parts, { by }, { answer }, asked) => ({
    asked,
    answer: await recordAnswer(parts, asked, { answer, by }),
  }),
});

async function askedQuestion(
  { journal }: Pick<JournalParts, 'journal'>,
  caller: Principal,
  { id }: ById,
): Promise<AskedQuestion> {
  // The id of a run is often taken for that of its question.
  const runId = runIdIn(id) ?? (isRunId(id) ? id : undefined);
  const opened = runId === undefined ? undefined : await journal.open(runId);
  const asked = opened === undefined ? [] : questionsIn(runId ?? '', opened.events);
  const reached = asked.filter(({ workflow }) => maySee(caller, workflow));
  const question = reached.find((one) => one.id === id);
  if (question !== undefined) return question;
  const open = isRunId(id) ? reached.find(({ isOpen }) => isOpen) : undefined;
  const hint = open === undefined ? '' : ` That is a run; its open question is ${JSON.stringify(open.id)}.`;
  throw new ProblemError('not-found', `There is no question ${JSON.stringify(id.slice(0, 80))}.${hint}`);
}
