/** Says what starts the runs of a workflow, for people. */
import { writtenDuration } from '@baton/primitives';

import type { Workflow } from '../document/workflow.ts';
import { type RunTrigger, type TriggerPlan, compileTriggers } from './triggers.ts';

/** One text for each trigger of a checked workflow. Triggers that start it at other times have other texts. */
export const triggerTexts = (workflow: Workflow): readonly string[] =>
  compileTriggers(workflow).map((trigger) => triggerText(workflow.workflow, trigger));

function triggerText(name: string, trigger: TriggerPlan): string {
  switch (trigger.kind) {
    case 'schedule':
      return `the schedule ${trigger.times} (${trigger.timezone})`;
    case 'webhook':
      return `the webhook POST /v1/hooks/${name}/${trigger.name}, signed with the secret ${trigger.secret}`;
    case 'resource':
      return `changes of ${trigger.uri} on the server ${trigger.server}`;
    case 'poll':
      return `what is new in ${trigger.server}/${trigger.tool}, every ${writtenDuration(trigger.everyMs)}`;
    case 'event':
      return `the event ${trigger.server}/${trigger.event}`;
    case 'run':
      return runText(trigger);
    case 'tool':
      return 'MCP clients, for which it is a tool';
    case 'device':
      return 'events of devices';
  }
}

function runText({ of, waitsFor }: RunTrigger): string {
  switch (waitsFor.kind) {
    case 'end': {
      const { statuses, after } = waitsFor;
      return `${after === 1 ? '' : `${after} `}runs of ${of} that ended as ${statuses.join(' or ')}${after === 1 ? '' : ', one after another'}`;
    }
    case 'wait':
      return `runs of ${of} that wait for ${writtenDuration(waitsFor.waitingMs)}`;
    case 'spending':
      return `runs of ${of} that have spent ${Math.round(waitsFor.budgetShare * 100)}% of their budget`;
  }
}
