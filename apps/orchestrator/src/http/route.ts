/** Serves routes of the contract: schemas check the requests, the compiler checks the answers. */
import { type AnswerOf, type Received, type Route, limitUsual } from '@baton/api';
import type { ListPage, Operation, PageInput } from '@baton/control';
import type { FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify';
import * as z from 'zod';

import type { App } from './edge.ts';
import { Cursors } from './parameters.ts';

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

/** Binds an operation that takes what the path names, and whose answer is that of the route, or nothing. */
export const serveAsIs = <Served extends Route, Parts>(
  app: App,
  operation: Operation<Served, Parts, Received<Served>['params'], AnswerOf<Served> | void>,
  parts: Parts,
): void =>
  serve(app, operation, parts, {
    // Fastify's type of it says no less.
    input: ({ params }) => params as Received<Served>['params'],
    answer: (answer, reply) => answer ?? reply.code(204).send(null),
  });

type ItemOf<Served extends Route> = AnswerOf<Served> extends { readonly data: readonly (infer Item)[] } ? Item : never;
type FilterOf<Served extends Route> = Omit<Received<Served>['query'], 'limit' | 'cursor'> &
  (Received<Served>['params'] extends object ? Received<Served>['params'] : unknown);

interface ListFace<Served extends Route, Item> {
  /** A cursor holds for this list only. */
  readonly list: string;
  /** Whether a page of the list can end at this place. */
  readonly isPlace: (text: string) => boolean;
  readonly shown: (item: Item) => ItemOf<Served>;
}

/** Binds a list, page by page. */
export function serveList<Served extends Route, Parts, Item>(
  app: App,
  operation: Operation<Served, Parts, FilterOf<Served> & PageInput, ListPage<Item>>,
  parts: Parts,
  { list, isPlace, shown }: ListFace<Served, Item>,
): void {
  route(app, operation.route, async ({ query, params, principal }) => {
    const { limit = limitUsual, cursor, ...asked } = query as Partial<PageInput> & { readonly cursor?: string };
    const filter = { ...(params as object), ...asked };
    const cursors = new Cursors(list, filter);
    const page = { limit, after: cursors.read(cursor, isPlace) };
    // The route's schema has parsed the filter.
    const { data, next } = await operation(parts, principal, { ...(filter as FilterOf<Served>), ...page });
    const answer = { data: data.map(shown), ...(next === undefined ? {} : { nextCursor: cursors.write(next) }) };
    return answer as AnswerOf<Served>;
  });
}
