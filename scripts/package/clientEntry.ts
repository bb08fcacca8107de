/** What `batonflow/client` hands out, as `client/index.d.ts` says: the page and the commands use more of the module. */
export { createClient, ProblemError, UnreachableError } from '@baton/api/client';
