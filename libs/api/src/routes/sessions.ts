import * as z from 'zod';

import { route } from '../route.ts';
import { PageQuerySchema } from '../schemas/parameters.ts';
import { CallerSchema, LoginCodeSchema, LogInSchema, SessionInListSchema, SessionSchema } from '../schemas/session.ts';
import { ByIdSchema, pageOf } from '../schemas/values.ts';
import type { Access } from '../scopes.ts';

const tag = 'Sessions';
const admin = ['admin'] as const satisfies Access;

export const sessionRoutes = {
  logIn: route('logIn', {
    tag,
    summary: 'Log a browser in',
    description:
      'Sets the cookie of a session, which may do what the key may. It ends twelve hours after its last use, or with the key. A request with the cookie must come from the page of this installation.',
    access: 'public',
    body: LogInSchema,
    answers: { 200: SessionSchema },
  }),
  getSession: route('getSession', {
    tag,
    summary: 'Show the session of the request’s cookie',
    access: 'any-key',
    answers: { 200: SessionSchema },
  }),
  whoAmI: route('whoAmI', {
    tag,
    summary: 'Show who calls, through what, and what they may do',
    access: 'any-key',
    answers: { 200: CallerSchema },
  }),
  logOut: route('logOut', {
    tag,
    summary: 'End the session of the request’s cookie',
    description: 'Sessions that began with a code of this session end with it.',
    access: 'any-key',
    answers: { 204: z.null() },
  }),
  createLoginCode: route('createLoginCode', {
    tag,
    summary: 'Create a code that logs a browser in once, as the key of this request',
    description: 'It is valid for ten minutes. With the cookie of a session: the new session ends with that one.',
    access: 'any-key',
    answers: { 201: LoginCodeSchema },
  }),
  listSessions: route('listSessions', {
    tag,
    summary: 'List sessions',
    description: 'Newest first, without those that have ended.',
    access: admin,
    query: PageQuerySchema,
    answers: { 200: pageOf(SessionInListSchema) },
  }),
  endSession: route('endSession', {
    tag,
    summary: 'End a session',
    description:
      'Sessions that began with a code of this session end with it. It takes effect on this orchestrator at once, on others within seconds.',
    access: admin,
    params: ByIdSchema,
    answers: { 204: z.null() },
  }),
};
