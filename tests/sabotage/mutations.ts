/** Every safeguard that can be switched off, by its room. docs/testing.md says how to add one. */
import type { Mutation } from './mutation.ts';
import { accessMutations } from './mutations/access.ts';
import { approvalMutations } from './mutations/approvals.ts';
import { argumentMutations } from './mutations/arguments.ts';
import { bootMutations } from './mutations/boot.ts';
import { budgetMutations } from './mutations/budgets.ts';
import { cliMutations } from './mutations/cli.ts';
import { driftMutations } from './mutations/drift.ts';
import { engineMutations } from './mutations/engine.ts';
import { failedReadMutations } from './mutations/failedReads.ts';
import { gatewayMutations } from './mutations/gateway.ts';
import { importMutations } from './mutations/import.ts';
import { intakeMutations } from './mutations/intake.ts';
import { issuerMutations } from './mutations/issuers.ts';
import { keyMutations } from './mutations/keys.ts';
import { languageMutations } from './mutations/language.ts';
import { learnMutations } from './mutations/learn.ts';
import { loginMutations } from './mutations/logins.ts';
import { modelsMutations } from './mutations/models.ts';
import { oauthMutations } from './mutations/oauth.ts';
import { orchestratorMutations } from './mutations/orchestrator.ts';
import { personMutations } from './mutations/people.ts';
import { projectMutations } from './mutations/projects.ts';
import { queueMutations } from './mutations/queue.ts';
import { ratesMutations } from './mutations/rates.ts';
import { rerunMutations } from './mutations/reruns.ts';
import { runnerMutations } from './mutations/runner.ts';
import { storeMutations } from './mutations/store.ts';
import { transportsMutations } from './mutations/transports.ts';
import { triggerMutations } from './mutations/triggers.ts';
import { workerMutations } from './mutations/worker.ts';

export const mutations: readonly Mutation[] = [
  ...accessMutations,
  ...approvalMutations,
  ...argumentMutations,
  ...bootMutations,
  ...budgetMutations,
  ...cliMutations,
  ...engineMutations,
  ...failedReadMutations,
  ...gatewayMutations,
  ...importMutations,
  ...intakeMutations,
  ...issuerMutations,
  ...keyMutations,
  ...personMutations,
  ...languageMutations,
  ...learnMutations,
  ...modelsMutations,
  ...driftMutations,
  ...loginMutations,
  ...oauthMutations,
  ...orchestratorMutations,
  ...projectMutations,
  ...queueMutations,
  ...ratesMutations,
  ...rerunMutations,
  ...runnerMutations,
  ...storeMutations,
  ...transportsMutations,
  ...triggerMutations,
  ...workerMutations,
];
