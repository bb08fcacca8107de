import { route } from '../route.ts';
import { HookFilterSchema, HookSchema } from '../schemas/hook.ts';
import { pageOf } from '../schemas/values.ts';

export const hookRoutes = {
  listHooks: route('listHooks', {
    tag: 'Workflows',
    summary: 'List webhooks and their last deliveries',
    description: 'Of the newest version of each workflow. Bodies of deliveries are not kept.',
    access: ['runs:read', 'runs:write', 'workflows:write'],
    query: HookFilterSchema,
    answers: { 200: pageOf(HookSchema) },
  }),
};
