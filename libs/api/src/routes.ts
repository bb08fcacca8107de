/** Every route of the API, by the name of its operation. */
import type { OperationName } from './operations.ts';
import type { Route } from './route.ts';
import { auditRoutes } from './routes/audit.ts';
import { budgetRoutes } from './routes/budgets.ts';
import { clientRoutes } from './routes/clients.ts';
import { keyRoutes } from './routes/keys.ts';
import { personRoutes } from './routes/people.ts';
import { pollRoutes } from './routes/polls.ts';
import { questionRoutes } from './routes/questions.ts';
import { runRoutes } from './routes/runs.ts';
import { scheduleRoutes } from './routes/schedules.ts';
import { secretRoutes } from './routes/secrets.ts';
import { serverRoutes } from './routes/servers.ts';
import { serviceRoutes } from './routes/service.ts';
import { sessionRoutes } from './routes/sessions.ts';
import { stateRoutes } from './routes/state.ts';
import { systemRoutes } from './routes/system.ts';
import { hookRoutes, workflowRoutes } from './routes/workflows.ts';

export const routes = {
  ...workflowRoutes,
  ...stateRoutes,
  ...runRoutes,
  ...questionRoutes,
  ...pollRoutes,
  ...scheduleRoutes,
  ...serverRoutes,
  ...secretRoutes,
  ...budgetRoutes,
  ...auditRoutes,
  ...keyRoutes,
  ...personRoutes,
  ...sessionRoutes,
  ...clientRoutes,
  ...serviceRoutes,
  ...hookRoutes,
  ...systemRoutes,
} satisfies Record<OperationName, Route>;

export type Routes = typeof routes;
