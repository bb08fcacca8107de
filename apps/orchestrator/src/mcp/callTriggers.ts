/** Calls of the tools for what starts and wakes runs: signals, schedules, webhooks; and for the names of secrets. */
import { control, reachedOf, type Principal, type ScheduleOptions } from '@baton/control';
import { type Json, defined } from '@baton/primitives';

import { type DeliveryOutcome, type TryDeliveryOptions, tryDelivery } from '../hooks/tryDelivery.ts';
import type { GeneralAnswer } from '../tools/generalAnswers.ts';
import type { GeneralHandlers } from './generalTools.ts';
import { endOfRunCall, getRunCall } from './nextForRun.ts';

export type TriggerCallOptions = ScheduleOptions & Parameters<typeof control.listHooks>[0] & TryDeliveryOptions;

const pageSize = 50;
/** Of each webhook. */
const deliveriesMax = 5;

export const triggerHandlers: Pick<
  GeneralHandlers<TriggerCallOptions>,
  'send_signal' | 'list_schedules' | 'change_schedule' | 'list_webhooks' | 'test_webhook' | 'list_secrets'
> = {
  send_signal: async ({ options, principal }, { id, name, payload }) => {
    const sent = { id, name, payload: (payload ?? null) as Json, pointer: '/name' };
    const run = await control.signalRun(options, principal, sent);
    const next = `The signal is recorded; a step that waits for it takes it if its \`match\` is true. ${endOfRunCall(id)} shows what follows.`;
    return { id, signal: name, status: run.status, next };
  },
  list_schedules: async ({ options, principal }, { workflow, after }) => {
    const { data, next: last } = await control.listSchedules(options, principal, { workflow, after, limit: pageSize });
    const found =
      data.length === 0 ? 'There is no such schedule.' : 'change_schedule pauses, resumes or triggers one of them.';
    if (last === undefined) return { schedules: [...data], next: found };
    return { schedules: [...data], after: last, next: `${found} More: the same call with "after": "${last}".` };
  },
  change_schedule: async ({ options, principal }, { id, action }) => {
    switch (action) {
      case 'pause': {
        const next = 'It starts no runs until it is resumed; what it misses is not made up for.';
        return { schedule: await control.pauseSchedule(options, principal, { id }), next };
      }
      case 'resume': {
        const schedule = await control.resumeSchedule(options, principal, { id });
        return { schedule, next: `It starts its next run at ${schedule.next[0] ?? 'no time that is known'}.` };
      }
      case 'trigger': {
        const { runId } = await control.triggerSchedule(options, principal, { id });
        return { run: runId, next: `An extra run has begun: ${endOfRunCall(runId)} shows how it ends.` };
      }
    }
  },
  list_webhooks: async ({ options, principal }, { workflow }) => {
    const { data } = await control.listHooks(options, principal, { workflow });
    const shown = data.map((one) => ({ ...one, deliveries: one.deliveries.slice(0, deliveriesMax) }));
    const next = shown.length === 0 ? 'There is no such webhook.' : 'test_webhook delivers a body to one of them.';
    return { webhooks: shown, next };
  },
  test_webhook: async ({ options, principal }, { preview, body, ...wanted }) => {
    const tried = { ...wanted, body: (body ?? null) as Json, isPreview: preview };
    const outcome = await tryDelivery(options, principal, tried);
    return { ...outcome, next: nextAfterDelivery(outcome) };
  },
  list_secrets: ({ options, principal }, { after }) => secretsPage(options, principal, after),
};

function nextAfterDelivery({ outcome, run }: DeliveryOutcome): string {
  switch (outcome) {
    case 'would-start':
      return 'It would start a run with these inputs: call again without `preview`.';
    case 'started':
      return `It started a run: ${endOfRunCall(run ?? '')} shows how it ends.`;
    case 'repeated':
      return `A delivery with the same identity had started this run before: ${getRunCall(run ?? '')}.`;
    case 'ignored':
      return 'It starts no run: change the body, or the `if` of the trigger.';
    case 'refused':
      return 'Correct what the reason names, and try it again.';
  }
}

/** Of a key that is limited to workflows: those that one of them may use. */
async function secretsPage(
  { secrets }: TriggerCallOptions,
  principal: Principal,
  after: string | undefined,
): Promise<GeneralAnswer<'list_secrets'>> {
  const { secrets: found, next: last } = await secrets.list({ limit: pageSize, ...defined({ after }) });
  const shown = found
    .map((secret) => ({ ...secret, workflows: secret.workflows && reachedOf(principal, secret.workflows) }))
    .filter(({ workflows }) => workflows === undefined || workflows.length > 0)
    .map(({ name, workflows, servers }) => ({
      name,
      ...(workflows && { workflows: [...workflows] }),
      ...(servers && { servers: [...servers] }),
    }));
  const advice =
    shown.length === 0
      ? 'There is none on this page. A person stores one: `baton secrets set NAME`, or on the page.'
      : 'In `with` of a step: "${{ secrets.NAME }}".';
  if (last === undefined) return { secrets: shown, next: advice };
  return { secrets: shown, after: last, next: `${advice} More: list_secrets with { "after": "${last}" }.` };
}
