/** The route that learns a workflow from a run; nothing is deployed. */
import { type LearnedWorkflow, routes } from '@baton/api';
import { control, type WorkflowLearner, type DeployParts, deployedWorkflowsFor, withBlobs } from '@baton/control';
import { seenRun } from '@baton/learn';

import type { App } from '../../http/edge.ts';
import type { Rates } from '../../http/rates.ts';
import { route } from '../../http/route.ts';
import type { RunOptions } from './runs.ts';

export interface LearnRouteOptions
  extends Pick<RunOptions, 'journal' | 'clock'>, Pick<DeployParts, 'store' | 'secrets'> {
  readonly rates: Pick<Rates, 'checkWorkflow'>;
  readonly learning: WorkflowLearner;
}

export function learnRoute(app: App, options: LearnRouteOptions): void {
  const { journal, clock, store, rates, learning } = options;
  route(app, routes.learnFromRun, async (request): Promise<LearnedWorkflow> => {
    const { params, principal, body } = request;
    const events = await control.learnFromRun({ journal, clock }, principal, params);
    await rates.checkWorkflow(request);
    const { name, answers = {} } = body ?? {};
    const seen = await withBlobs(store.blobs, (blobs) => seenRun(events, blobs));
    const learned = await learning.learn(seen, { name, answers }, deployedWorkflowsFor(options, principal));
    const { source, inputs, leftOut, notes, questions, replay, findings } = learned;
    return {
      source,
      inputs: [...inputs],
      leftOut: leftOut.map((one) => ({ ...one })),
      notes: notes.map((one) => ({ ...one })),
      questions: questions.map(({ id, text, options }) => ({ id, text, options: [...options] })),
      replay: { same: replay.same, differences: replay.differences.map((one) => ({ ...one })) },
      findings: findings.map(({ file: _file, ...finding }) => finding),
    };
  });
}
