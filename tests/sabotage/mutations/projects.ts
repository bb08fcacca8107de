import type { Mutation } from '../mutation.ts';

/** What does not exist for the workflows and keys of another project. */
export const projectMutations: readonly Mutation[] = [
  {
    safeguard: 'a pattern of workflows reaches into no other project',
    file: 'libs/language/src/document/workflowNames.ts',
    find: 'workflow.startsWith(start)',
    replace: 'workflow.startsWith(start.slice(0, -1))',
    shownBy: ['libs/language/src/document/workflowNames.test.ts'],
  },
  {
    safeguard: 'a pattern of workflows reaches no sessions at the gateway',
    file: 'libs/language/src/document/workflowNames.ts',
    find: ' && workflow !== sessionWorkflow',
    replace: '',
    shownBy: ['libs/language/src/document/workflowNames.test.ts'],
  },
  {
    safeguard: 'secrets: one that is bound to other workflows is not stored, for a workflow that runs',
    file: 'libs/runner/src/secrets/boundSecrets.ts',
    find: 'if (!existsFor(binding, use)) continue;',
    replace: '',
    shownBy: ['libs/runner/src/secrets/boundSecrets.test.ts'],
  },
  {
    safeguard: 'a server with `allow` is called for no other workflow',
    file: 'libs/transports/src/server/heldToWorkflows.ts',
    find: '!servesWorkflow(allow, workflow.id)',
    replace: "workflow.id === ''",
    shownBy: ['libs/transports/src/server/heldToWorkflows.test.ts'],
  },
  {
    safeguard: 'a server with `allow` is called for no workflow that comes with its run',
    file: 'libs/transports/src/server/heldToWorkflows.ts',
    find: 'if (workflow.isDeployed ||',
    replace: 'if (workflow.id !== undefined ||',
    shownBy: ['libs/transports/src/server/heldToWorkflows.test.ts'],
  },
  {
    safeguard: 'a server with `allow` and a bound secret are no part of a check of another workflow',
    file: 'libs/language/src/check/beginCheck.ts',
    find: '...existingFor(workflow.workflow, options),',
    replace: '...existingFor(workflow.workflow, {}), servers: options.servers, secrets: options.secrets,',
    shownBy: ['libs/language/src/check/secrets.test.ts'],
  },
  {
    safeguard: 'a server with `allow` is at no route for a key of another project',
    file: 'libs/control/src/keys/keyAccess.ts',
    find: 'allow === undefined || reachedOf(principal, allow).length > 0',
    replace: 'allow === undefined || reachedOf(principal, allow).length >= 0',
    shownBy: ['apps/orchestrator/src/routes/access/limitedKeys.int.test.ts'],
  },
  {
    safeguard: 'a server with `allow` is not at the gateway',
    file: 'apps/orchestrator/src/gateway/gatewayServer.ts',
    find: 'servesWorkflow(allow, sessionWorkflow)',
    replace: "allow === undefined || sessionWorkflow !== ''",
    shownBy: ['apps/orchestrator/src/routes/access/limitedKeys.int.test.ts'],
  },
  {
    safeguard: 'a server with `allow` is not completed in a file of another project',
    file: 'libs/editor-service/src/complete/complete.ts',
    find: 'const known = knownIn(cursor.value, all);',
    replace: 'const known = all;',
    shownBy: ['libs/editor-service/src/complete/complete.test.ts'],
  },
];
