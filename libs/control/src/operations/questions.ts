/** Operations of questions. */
import { ProblemError, routes } from '@baton/api';
import { matchesWorkflow } from '@baton/language';
import { type Json, defined } from '@baton/primitives';
import { type Store, isRunId, listRuns } from '@baton/store';

import type { RunAppender } from '../intake/runAppender.ts';
import { maySee, reachOf } from '../keys/keyAccess.ts';
import type { Principal } from '../keys/scopes.ts';
import { answerQuestion as recordAnswer, checkAnswerEffects } from '../questions/answer.ts';
import { type AskedQuestion, readQuestions, runIdIn } from '../questions/openQuestions.ts';
import { operation } from './operation.ts';
import type { ListPage, PageInput } from './page.ts';
import { type ById, type JournalParts, type RunRowParts, allReached } from './reach.ts';

interface ListedQuestions {
  readonly workflow?: string | undefined;
  readonly run?: string | undefined;
  readonly runId?: string | undefined;
}

/** Open ones, those of the newest runs first. */
export const listQuestions = operation(routes.listQuestions, {
  reach: allReached,
  effects: 'none',
  perform: async (
    { store }: { readonly store: Store },
    caller,
    { workflow, run, runId = run, ...page }: PageInput & ListedQuestions,
  ): Promise<ListPage<AskedQuestion>> => {
    const filter = { isAsking: true, ...defined({ workflow, workflows: reachOf(caller) }) };
    const found = runId === undefined ? pageAfter(store, filter, page) : pageIn(store, runId, page);
    const { questions, isLast } = await found;
    const isListed = (one: AskedQuestion): boolean =>
      workflow === undefined || matchesWorkflow([workflow], one.workflow);
    const data = questions.filter((one) => maySee(caller, one.workflow) && isListed(one));
    return { data, next: isLast ? undefined : questions.at(-1)?.id };
  },
});

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
  const asked = runId === undefined ? [] : await readQuestions({ journal }, runId);
  const reached = asked.filter(({ workflow }) => maySee(caller, workflow));
  const question = reached.find((one) => one.id === id);
  if (question !== undefined) return question;
  const open = isRunId(id) ? reached.find(({ isOpen }) => isOpen) : undefined;
  const hint = open === undefined ? '' : ` That is a run; its open question is ${JSON.stringify(open.id)}.`;
  throw new ProblemError('not-found', `There is no question ${JSON.stringify(id.slice(0, 80))}.${hint}`);
}

type QuestionPage = { readonly questions: readonly AskedQuestion[]; readonly isLast: boolean };

async function pageIn(store: Store, runId: string, { after, limit }: PageInput): Promise<QuestionPage> {
  const questions = openAfter(await readQuestions(store, runId), after);
  return { questions: questions.slice(0, limit), isLast: questions.length <= limit };
}

/** A run may ask several questions: a page that ends between them is followed by the rest. */
async function pageAfter(
  store: Store,
  filter: Parameters<typeof listRuns>[1],
  { after, limit }: PageInput,
): Promise<QuestionPage> {
  const runBefore = after === undefined ? undefined : runIdIn(after);
  const questions = runBefore === undefined ? [] : openAfter(await readQuestions(store, runBefore), after);
  let from = runBefore;
  while (questions.length <= limit) {
    const { runs, next } = await listRuns(store, filter, { limit, ...defined({ after: from }) });
    const asked = await Promise.all(runs.map(({ id }) => readQuestions(store, id)));
    questions.push(...asked.flat().filter(isOpen));
    if (next === undefined) break;
    from = next;
  }
  return { questions: questions.slice(0, limit), isLast: questions.length <= limit };
}

const openAfter = (asked: readonly AskedQuestion[], after: string | undefined): AskedQuestion[] =>
  asked.slice(asked.findIndex(({ id }) => id === after) + 1).filter(isOpen);

const isOpen = (asked: AskedQuestion): boolean => asked.isOpen;
