import { route } from '../route.ts';
import { AnswerSchema, QuestionFilterSchema, QuestionSchema, TakenAnswerSchema } from '../schemas/question.ts';
import { ByIdSchema, pageOf } from '../schemas/values.ts';
import type { Access } from '../scopes.ts';

const tag = 'Questions';
const reading = ['questions:answer', 'runs:read'] as const satisfies Access;

export const questionRoutes = {
  listQuestions: route('listQuestions', {
    tag,
    summary: 'List open questions',
    description: 'Newest runs first.',
    access: reading,
    query: QuestionFilterSchema,
    answers: { 200: pageOf(QuestionSchema) },
  }),
  getQuestion: route('getQuestion', {
    tag,
    summary: 'Show a question',
    access: reading,
    params: ByIdSchema,
    answers: { 200: QuestionSchema },
  }),
  answerQuestion: route('answerQuestion', {
    tag,
    summary: 'Answer a question',
    description:
      'A question takes one answer. Of two answers at the same time, Baton records one and refuses the other (409).',
    access: ['questions:answer'],
    params: ByIdSchema,
    body: AnswerSchema,
    answers: { 200: TakenAnswerSchema },
  }),
};
