/** Routes of questions: list, show, answer. */
import { type Question, routes, instant, limitUsual } from '@baton/api';
import { type RunAppender, maySee, control, reachOf, type AskedQuestion, questionsIn, runIdIn } from '@baton/control';
import { type JsonSchema, defined } from '@baton/primitives';
import type { Plans } from '@baton/runner';
import { type Store, isRunId, listRuns } from '@baton/store';

import type { App } from '../../http/edge.ts';
import { Cursors } from '../../http/parameters.ts';
import { route, serve } from '../../http/route.ts';

export interface QuestionOptions extends RunAppender {
  readonly store: Store;
  readonly plans: Plans;
}

export function questionRoutes(app: App, options: QuestionOptions): void {
  listRoute(app, options);
  serve(app, control.getQuestion, options, { input: ({ params }) => params, answer: toQuestion });
  serve(app, control.answerQuestion, options, {
    input: ({ params: { id }, body }) => ({ id, answer: body.answer }),
    answer: ({ asked: { id, runId }, answer }, _reply, { principal: { by } }) => ({ id, runId, answer, by }),
  });
}

function listRoute(app: App, { store }: QuestionOptions): void {
  route(app, routes.listQuestions, async ({ query: { limit = limitUsual, cursor, workflow }, principal }) => {
    const cursors = new Cursors('questions', { workflow });
    const after = cursors.read(cursor, (text) => runIdIn(text) !== undefined || isRunId(text));
    const filter = {
      isAsking: true,
      ...defined({ workflow, workflows: reachOf(principal) }),
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
