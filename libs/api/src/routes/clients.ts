import * as z from 'zod';

import { route } from '../route.ts';
import { ConnectedClientSchema, ConsentSchema, DecidedSchema, DecisionSchema } from '../schemas/client.ts';
import { PageQuerySchema } from '../schemas/parameters.ts';
import { ByIdSchema, pageOf } from '../schemas/values.ts';

const tag = 'Clients';

export const clientRoutes = {
  listClients: route('listClients', {
    tag,
    summary: 'List connected clients',
    description: 'Newest first: those that were connected with the key of this request; for an admin, all.',
    access: 'any-key',
    query: PageQuerySchema,
    answers: { 200: pageOf(ConnectedClientSchema) },
  }),
  disconnectClient: route('disconnectClient', {
    tag,
    summary: 'Disconnect a client',
    description:
      'Its tokens end. It takes effect on this orchestrator at once, on others within seconds. An admin can disconnect all.',
    access: 'any-key',
    params: ByIdSchema,
    answers: { 204: z.null() },
  }),
  getConsent: route('getConsent', {
    tag,
    summary: 'Show what a client asks for',
    description: 'For the page to which the authorization server sent the browser; it needs the cookie of a session.',
    access: 'any-key',
    params: ByIdSchema,
    answers: { 200: ConsentSchema },
  }),
  decideConsent: route('decideConsent', {
    tag,
    summary: 'Decide what a client may do',
    access: 'any-key',
    params: ByIdSchema,
    body: DecisionSchema,
    answers: { 200: DecidedSchema },
  }),
};
