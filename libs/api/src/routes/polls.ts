import { route } from '../route.ts';
import { PollDetailSchema, PolledSchema, PollFilterSchema, PollResetSchema, PollSchema } from '../schemas/poll.ts';
import { ByIdSchema, pageOf } from '../schemas/values.ts';
import type { Access } from '../scopes.ts';

const tag = 'Polls';
const reading = ['runs:read', 'runs:write', 'workflows:write'] as const satisfies Access;
const starting = ['runs:write'] as const satisfies Access;

export const pollRoutes = {
  listPolls: route('listPolls', {
    tag,
    summary: 'List polls',
    description:
      'Ordered by id: the `on: poll` triggers of the newest versions of deployed workflows, with their last outcomes.',
    access: reading,
    query: PollFilterSchema,
    answers: { 200: pageOf(PollSchema) },
  }),
  getPoll: route('getPoll', {
    tag,
    summary: 'Show a poll and the items that it saw last',
    access: reading,
    params: ByIdSchema,
    answers: { 200: PollDetailSchema },
  }),
  pollNow: route('pollNow', {
    tag,
    summary: 'Poll now',
    description: 'Asks the tool and starts the runs, as when it is due.',
    access: starting,
    params: ByIdSchema,
    answers: { 200: PolledSchema },
  }),
  resetPoll: route('resetPoll', {
    tag,
    summary: 'Forget what a poll has seen',
    access: starting,
    params: ByIdSchema,
    body: PollResetSchema,
    answers: { 200: PollSchema },
  }),
};
