/** Routes of questions: list, show, answer. */
import { type Question, routes, ProblemError, instant, limitUsual } from '@baton/api';
import {
  type RunAppender,
  maySee,
  type Principal,
  answerQuestion,
  checkAnswerEffects,
  type AskedQuestion,
  questionsIn,
  runIdIn,
} from '@baton/control';
import type { JsonSchema } from '@baton/language';
import { defined } from '@baton/primitives';
import type { Plans } from '@baton/runner';
import { type Store, isRunId, listRuns } from '@baton/store';

import type { App } from '../../http/edge.ts';
import { Cursors } from '../../http/parameters.ts';
import { route } from '../../http/route.ts';

export interface QuestionOptions extends RunAppender {
  readonly store: Store;
  readonly plans: Plans;
}

export function questionRoutes(app: App, options: QuestionOptions): void {
  listRoute(app, options);
  route(app, routes.getQuestion, async ({ params: { id }, principal }) =>
    toQuestion(await findQuestion(options, id, principal)),
  );
  route(app, routes.answerQuestion, async ({ params: { id }, principal, body }) => {
    const asked = await findQuestion(options, id, principal);
    await checkAnswerEffects(principal, options, asked);
    const by = principal.by;
    const answer = await answerQuestion(options, asked, { answer: body.answer, by });
    return { id, runId: asked.runId, answer, by };
  });
}

function listRoute(app: App, { store }: QuestionOptions): void {
  route(app, routes.listQuestions, async ({ query: { limit = limitUsual, cursor, workflow }, principal }) => {
    const cursors = new Cursors('questions', { workflow });
    const after = cursors.read(cursor, (text) => runIdIn(text) !== undefined || isRunId(text));
    const filter = {
      isAsking: true,
      ...defined({ workflow }),
      ...(principal.workflows && { workflows: [...principal.workflows] }),
    };
    const { questions, isLast } = await pageAfter(store, filter, { after, limit });
    const last = questions.at(-1);
    const next = isLast || last === undefined ? {} : { nextCursor: cursors.write(last.id) };
    return { data: questions.filter((one) => maySee(principal, one.workflow)).map(toQuestion), ...next };
  });
}

type QuestionPage = { readonly questions: readonly AskedQuestion[]; readonly isLast: boolean };

/** A run may ask several questions: a page that ends between them is followed by the rest. */
async function pageAfter(
  store: Store,
  filter: Parameters<typeof listRuns>[1],
  { after, limit }: { readonly after: string | undefined; readonly limit: number },
): Promise<QuestionPage> {
  const runBefore = after === undefined ? undefined : runIdIn(after);
  const before = runBefore === undefined ? [] : await askedIn(store, runBefore);
  const questions = before.slice(before.findIndex(({ id }) => id === after) + 1).filter(isOpen);
  let from = runBefore;
  while (questions.length <= limit) {
    const { runs, next } = await listRuns(store, filter, { limit, ...defined({ after: from }) });
    const findQuestion = await Promise.all(runs.map(({ id }) => askedIn(store, id)));
    questions.push(...findQuestion.flat().filter(isOpen));
    if (next === undefined) break;
    from = next;
  }
  return { questions: questions.slice(0, limit), isLast: questions.length <= limit };
}

const isOpen = (asked: AskedQuestion): boolean => asked.isOpen;

async function askedIn({ journal }: Store, runId: string): Promise<readonly AskedQuestion[]> {
  const opened = await journal.open(runId);
  return opened === undefined ? [] : questionsIn(runId, opened.events);
}

/** Rejects with `ProblemError`. */
async function findQuestion({ journal }: QuestionOptions, id: string, principal: Principal): Promise<AskedQuestion> {
  const runId = runIdIn(id);
  const opened = runId === undefined ? undefined : await journal.open(runId);
  const asked = opened && questionsIn(runId ?? '', opened.events).find((one) => one.id === id);
  if (asked !== undefined && maySee(principal, asked.workflow)) return asked;
  throw new ProblemError('not-found', `There is no question ${JSON.stringify(id.slice(0, 80))}.`);
}

function toQuestion({ path, question, by, ...asked }: AskedQuestion): Question {
  const { id, runId, workflow, version, askedAt, isOpen } = asked;
  const { message, url, form, expiresAt, onExpire } = question;
  const closedStatus = by === undefined ? 'closed' : 'answered';
  return {
    id,
    runId,
    workflow,
    version: version ?? null,
    step: path,
    message,
    ...defined({ url }),
    form: form as JsonSchema,
    status: isOpen ? 'open' : closedStatus,
    askedAt: instant(askedAt),
    ...(expiresAt === undefined ? {} : { expiresAt: instant(expiresAt) }),
    ...defined({ onExpire, answeredBy: by }),
  };
}
