/** What is answered while the database is back in time: what reads, and what a person needs who lifts the fence. */
import { ProblemError, routes } from '@baton/api';
import { paths } from '@baton/oauth';
import type { FastifyRequest } from 'fastify';

const reading: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** They compute something, or begin and end access: a key that was revoked in the lost time is good again. */
const passing: ReadonlySet<string> = new Set(
  [
    routes.liftFence,
    routes.checkWorkflow,
    routes.evaluateRun,
    routes.learnFromRun,
    routes.verifyAudit,
    routes.logIn,
    routes.logOut,
    routes.createLoginCode,
    routes.endSession,
    routes.revokeKey,
    routes.disconnectClient,
    routes.removePerson,
    routes.revokeGrant,
  ]
    .map(({ method, path }) => `${method} ${path}`)
    .concat(`POST ${paths.revocation}`),
);

export const mayPassFence = ({ method, is404, routeOptions: { url = '' } }: FastifyRequest): boolean =>
  is404 || reading.has(method) || passing.has(`${method} ${url}`);

export const fencedProblem = (message: string): ProblemError => new ProblemError('fenced', message);
