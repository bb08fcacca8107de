/** Serves routes of the contract: schemas check the requests, the compiler checks the answers. */
import type { AnswerOf, Received, Route } from '@baton/api';
import type { Operation } from '@baton/control';
import type { FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify';
import * as z from 'zod';

import type { App } from './edge.ts';

type RequestOf<Served extends Route> = FastifyRequest<{
  Params: Received<Served>['params'];
  Querystring: Received<Served>['query'];
  Headers: Received<Served>['headers'];
  Body: Received<Served>['body'];
}>;

type Handler<Served extends Route> = (
  request: RequestOf<Served>,
  reply: FastifyReply,
) => Promise<AnswerOf<Served> | FastifyReply>;

/** A parameter that would change nothing is refused where something is done: its sender expects an effect. */
const noQuery = z.strictObject({});

export function route<Served extends Route>(app: App, served: Served, handler: Handler<Served>): void {
  const { method, path, access, params, query, headers, body } = served;
  const schema = {
    ...(params && { params }),
    ...((query ?? method !== 'GET') && { querystring: query ?? noQuery }),
    ...(headers && { headers }),
    ...(body && { body }),
  };
  // Fastify types a handler by its own type provider, which does not know the contract.
  app.route({ method, url: path, config: { access }, schema, handler: handler as RouteHandlerMethod });
}

interface Face<Served extends Route, Input, Result> {
  /** What the request asks of the operation. Throws `ProblemError`. */
  readonly input: (request: RequestOf<Served>) => Input;
  /** The reply. */
  readonly answer: (
    result: Result,
    reply: FastifyReply,
    request: RequestOf<Served>,
  ) => AnswerOf<Served> | FastifyReply | Promise<AnswerOf<Served>>;
}

/** Binds an operation to its route. */
export function serve<Served extends Route, Parts, Input, Result>(
  app: App,
  operation: Operation<Served, Parts, Input, Result>,
  parts: Parts,
  { input, answer }: Face<Served, Input, Result>,
): void {
  route(app, operation.route, async (request, reply) =>
    answer(await operation(parts, request.principal, input(request)), reply, request),
  );
}
