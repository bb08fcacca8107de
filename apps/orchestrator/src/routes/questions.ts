/** Questions that runs ask: listed, shown, answered. */
import type { Json } from '@baton/language';
import type { Store } from '@baton/store';
import { isRunId, listRuns } from '@baton/store';
import * as z from 'zod';

import type { Access, App } from '../http/edge.ts';
import { Cursor, Cursors, Limit, limitUsual } from '../http/parameters.ts';
import { ProblemError } from '../http/problem.ts';
import type { Outside } from '../intake/outside.ts';
import { reaches } from '../keys/reach.ts';
import type { Principal } from '../keys/scopes.ts';
import { answerQuestion } from '../questions/answer.ts';
import type { AskedQuestion } from '../questions/openQuestions.ts';
import { questionsIn, runIdIn } from '../questions/openQuestions.ts';
import { AnyValue, Instant, instant, pageOf, RunId, WorkflowName } from '../shapes/values.ts';

const tags = ['Questions'];
const reading: Access = ['questions:answer', 'runs:read'];

const Question = z
  .strictObject({
    id: z.string(),
    runId: RunId,
    workflow: WorkflowName,
    version: z.int().nullable(),
    step: z.string().meta({ description: 'Path of the step that asks.' }),
    message: z.string(),
    url: z.string().optional().meta({
      description: 'An address that a server wants somebody to open before they answer. Look where it leads.',
    }),
    form: AnyValue.meta({ description: 'JSON Schema of the answer.' }),
    status: z.enum(['open', 'answered', 'closed']),
    askedAt: Instant,
    expiresAt: Instant.optional(),
    onExpire: AnyValue.optional().meta({ description: 'The answer that is taken when time runs out.' }),
    answeredBy: z.string().optional(),
  })
  .meta({ id: 'Question' });

const Answer = z
  .strictObject({ answer: z.record(z.string(), AnyValue).meta({ description: 'As the form asks for it.' }) })
  .meta({ id: 'Answer' });

const Taken = z
  .strictObject({ id: z.string(), runId: RunId, answer: AnyValue, by: z.string() })
  .meta({ id: 'TakenAnswer', description: 'The answer as it was taken, with the form’s defaults.' });

/** A text, so that what is no question's id is a question that does not exist. */
const ById = z.strictObject({ id: z.string() });

export interface QuestionOptions extends Outside {
  readonly store: Store;
}

export function questionRoutes(app: App, options: QuestionOptions): void {
  listRoute(app, options);
  app.get(
    '/v1/questions/:id',
    {
      config: { access: reading },
      schema: { tags, summary: 'Show a question', params: ById, response: { 200: Question } },
    },
    async ({ params: { id }, principal }) => shown(await found(options, id, principal)),
  );
  app.post(
    '/v1/questions/:id/answer',
    {
      config: { access: ['questions:answer'] },
      schema: {
        tags,
        summary: 'Answer a question',
        description:
          'It is answered once: of two answers at the same moment one is taken, and the other is told so (409).',
        params: ById,
        body: Answer,
        response: { 200: Taken },
      },
    },
    async ({ params: { id }, principal, body }) => {
      const asked = await found(options, id, principal);
      const by = principal.by;
      const answer = await answerQuestion(options, asked, { answer: body.answer as Json, by });
      return { id, runId: asked.runId, answer, by };
    },
  );
}

const Filter = z.strictObject({ workflow: WorkflowName.optional(), limit: Limit, cursor: Cursor });

function listRoute(app: App, { store }: QuestionOptions): void {
  app.get(
    '/v1/questions',
    {
      config: { access: reading },
      schema: {
        tags,
        summary: 'List the questions that are open',
        description: 'Those of the newest runs first.',
        querystring: Filter,
        response: { 200: pageOf(Question) },
      },
    },
    async ({ query: { limit = limitUsual, cursor, workflow }, principal }) => {
      const cursors = new Cursors('questions', { workflow });
      const after = cursors.read(cursor, (text) => runIdIn(text) !== undefined || isRunId(text));
      const filter = {
        isAsking: true,
        ...(workflow === undefined ? {} : { workflow }),
        ...(principal.workflows && { workflows: [...principal.workflows] }),
      };
      const { questions, isLast } = await pageAfter(store, filter, { after, limit });
      const last = questions.at(-1);
      const next = isLast || last === undefined ? {} : { nextCursor: cursors.write(last.id) };
      return { data: questions.filter((one) => reaches(principal, one.workflow)).map(shown), ...next };
    },
  );
}

type Page = { readonly questions: readonly AskedQuestion[]; readonly isLast: boolean };

/** A run may ask several: the page after one of its questions begins with the rest of them. */
async function pageAfter(
  store: Store,
  filter: Parameters<typeof listRuns>[1],
  { after, limit }: { readonly after: string | undefined; readonly limit: number },
): Promise<Page> {
  const runBefore = after === undefined ? undefined : runIdIn(after);
  const before = runBefore === undefined ? [] : await askedIn(store, runBefore);
  const questions = before.slice(before.findIndex(({ id }) => id === after) + 1).filter(isOpen);
  let from = runBefore;
  while (questions.length <= limit) {
    const { runs, next } = await listRuns(store, filter, { limit, ...(from === undefined ? {} : { after: from }) });
    const found = await Promise.all(runs.map(({ id }) => askedIn(store, id)));
    questions.push(...found.flat().filter(isOpen));
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
async function found({ journal }: QuestionOptions, id: string, principal: Principal): Promise<AskedQuestion> {
  const runId = runIdIn(id);
  const opened = runId === undefined ? undefined : await journal.open(runId);
  const asked = opened && questionsIn(runId ?? '', opened.events).find((one) => one.id === id);
  if (asked !== undefined && reaches(principal, asked.workflow)) return asked;
  throw new ProblemError('not-found', `There is no question ${JSON.stringify(id.slice(0, 80))}.`);
}

function shown({ path, question, by, ...asked }: AskedQuestion): z.infer<typeof Question> {
  const { id, runId, workflow, version, askedAt, isOpen } = asked;
  const { message, url, form, expiresAt, onExpire } = question;
  return {
    id,
    runId,
    workflow,
    version: version ?? null,
    step: path,
    message,
    ...(url === undefined ? {} : { url }),
    form,
    status: isOpen ? 'open' : by === undefined ? 'closed' : 'answered',
    askedAt: instant(askedAt),
    ...(expiresAt === undefined ? {} : { expiresAt: instant(expiresAt) }),
    ...(onExpire === undefined ? {} : { onExpire }),
    ...(by === undefined ? {} : { answeredBy: by }),
  };
}
