import { type Problem, problemBody, problemType } from '@baton/api';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { edgeLimits } from './edgeLimits.ts';

/** On every answer: its id, and that clients must not guess the type, cache it, or embed it in another page. */
export const commonHeaders = (requestId: string): Record<string, string> => ({
  'x-request-id': requestId,
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
});

/** Keeps the connection of a body that is too large: a client that is still sending would not see the answer. */
export function letClientFinish(
  { status }: Pick<Problem, 'status'>,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  if (status === 413 && Number(request.headers['content-length']) <= edgeLimits.droppedBytes)
    reply.removeHeader('connection');
}

export function answerProblem(problem: Problem, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  letClientFinish(problem, request, reply);
  return reply
    .code(problem.status)
    .headers({ ...commonHeaders(request.id), ...problem.headers })
    .type(problemType)
    .send(JSON.stringify(problemBody(problem, request)));
}
