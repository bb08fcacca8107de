/** Describes the triggers of a workflow, for `baton workflows show` and `baton workflows delete`. */
import { type TriggerPlan, checkWorkflow, compileTriggers } from '@baton/language';
import { writtenDuration } from '@baton/primitives';

/** One text for each trigger of the source; undefined if this version of the language cannot read it. */
export function startersOf(name: string, source: string): readonly string[] | undefined {
  const { workflow } = checkWorkflow(source);
  return workflow === undefined ? undefined : compileTriggers(workflow).map((trigger) => starterText(name, trigger));
}

function starterText(name: string, trigger: TriggerPlan): string {
  switch (trigger.kind) {
    case 'schedule':
      return `the schedule ${trigger.times} (${trigger.timezone})`;
    case 'webhook':
      return `the webhook /v1/hooks/${name}/${trigger.name}, signed with the secret ${trigger.secret}`;
    case 'resource':
      return `changes of ${trigger.uri} on the server ${trigger.server}`;
    case 'poll':
      return `what is new in ${trigger.server}/${trigger.tool}, every ${writtenDuration(trigger.everyMs)}`;
    case 'event':
      return `the event ${trigger.server}/${trigger.event}`;
    case 'run':
      return `runs of ${trigger.of} that ended as ${trigger.statuses.join(' or ')}`;
    case 'tool':
      return 'MCP clients, for which it is a tool';
    case 'device':
      return 'events of devices';
  }
}
