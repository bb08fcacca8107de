/** Every operation of the contract that needs a key, by its name: what each face binds. */
import type { routes } from '@baton/api';

import * as audit from './audit.ts';
import * as budgets from './budgets.ts';
import * as clients from './clients.ts';
import * as costs from './costs.ts';
import * as deployments from './deployments.ts';
import * as failures from './failures.ts';
import * as keys from './keys.ts';
import * as logins from './logins.ts';
import * as manyRuns from './manyRuns.ts';
import type { KeyedRoute } from './operation.ts';
import * as people from './people.ts';
import * as polls from './polls.ts';
import * as questions from './questions.ts';
import * as runs from './runs.ts';
import * as schedules from './schedules.ts';
import * as secrets from './secrets.ts';
import * as servers from './servers.ts';
import * as sessions from './sessions.ts';
import * as state from './state.ts';
import * as system from './system.ts';
import * as unknownOutcomes from './unknownOutcomes.ts';
import * as workflows from './workflows.ts';

type Routes = typeof routes;
type KeyedName = { [Name in keyof Routes]: Routes[Name] extends KeyedRoute ? Name : never }[keyof Routes];

/** Without the metrics, which are public where only this machine can connect. */
export const control = {
  ...audit,
  ...budgets,
  ...clients,
  ...costs,
  ...deployments,
  ...failures,
  ...keys,
  ...logins,
  ...manyRuns,
  ...people,
  ...questions,
  ...runs,
  ...polls,
  ...schedules,
  ...secrets,
  ...servers,
  ...sessions,
  ...state,
  ...system,
  ...unknownOutcomes,
  ...workflows,
} as const satisfies { readonly [Name in Exclude<KeyedName, 'getMetrics'>]: { readonly route: Routes[Name] } };
