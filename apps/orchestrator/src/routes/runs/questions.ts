/** Routes of questions: list, show, answer. */
import { type Question, instant } from '@baton/api';
import { type AskedQuestion, control, runIdIn } from '@baton/control';
import { type JsonSchema, defined } from '@baton/primitives';
import { isRunId } from '@baton/store';

import type { App } from '../../http/edge.ts';
import { serve, serveList } from '../../http/route.ts';
import type { RunOptions } from './runs.ts';

export function questionRoutes(app: App, options: Omit<RunOptions, 'view'>): void {
  serveList(app, control.listQuestions, options, {
    list: 'questions',
    isPlace: (text) => runIdIn(text) !== undefined || isRunId(text),
    shown: toQuestion,
  });
  serve(app, control.getQuestion, options, { input: ({ params }) => params, answer: toQuestion });
  serve(app, control.answerQuestion, options, {
    input: ({ params: { id }, body }) => ({ id, answer: body.answer }),
    answer: ({ asked: { id, runId }, answer }, _reply, { principal: { by } }) => ({ id, runId, answer, by }),
  });
}

function toQuestion({ path, question, by, ...asked }: AskedQuestion): Question {
  const { id, runId, workflow, version, inputs, askedAt, isOpen } = asked;
  const { message, url, form, expiresAt, onExpire } = question;
  const closedStatus = by === undefined ? 'closed' : 'answered';
  return {
    id,
    runId,
    workflow,
    version: version ?? null,
    step: path,
    message,
    inputs,
    ...defined({ url }),
    form: form as JsonSchema,
    status: isOpen ? 'open' : closedStatus,
    askedAt: instant(askedAt),
    ...(expiresAt === undefined ? {} : { expiresAt: instant(expiresAt) }),
    ...defined({ onExpire, answeredBy: by }),
  };
}
