import { route } from '../route.ts';
import { AnswerSchema, QuestionFilterSchema, QuestionSchema, TakenAnswerSchema } from '../schemas/question.ts';
import { ByIdSchema, pageOf } from '../schemas/values.ts';
import type { Access } from '../scopes.ts';

const tag = 'Questions';
const reading: Access = ['questions:answer', 'runs:read'];

export const questionRoutes = {
  listQuestions: route('listQuestions', {
    tag,
    summary: 'List the questions that are open',
    description: 'Those of the newest runs first.',
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
    description: 'It is answered once: of two answers at the same moment one is taken, and the other is told so (409).',
    access: ['questions:answer'],
    params: ByIdSchema,
    body: AnswerSchema,
    answers: { 200: TakenAnswerSchema },
  }),
};
