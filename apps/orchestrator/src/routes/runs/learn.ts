/** The route that learns a workflow from a run; nothing is deployed. */
import { type LearnedWorkflow, routes } from '@baton/api';
import { control } from '@baton/control';

import type { App } from '../../http/edge.ts';
import type { Rates } from '../../http/rates.ts';
import { route } from '../../http/route.ts';

type LearnRouteOptions = Parameters<typeof control.learnFromRun>[0] & { readonly rates: Pick<Rates, 'checkWorkflow'> };

export function learnRoute(app: App, options: LearnRouteOptions): void {
  route(app, routes.learnFromRun, async (request): Promise<LearnedWorkflow> => {
    const { params, principal, body } = request;
    await options.rates.checkWorkflow(request);
    const { name, answers = {} } = body ?? {};
    const learned = await control.learnFromRun(options, principal, { ...params, name, answers });
    const { source, inputs, leftOut, notes, questions, replay, findings } = learned;
    return {
      source,
      inputs: [...inputs],
      leftOut: leftOut.map((one) => ({ ...one })),
      notes: notes.map((one) => ({ ...one })),
      questions: questions.map(({ id, text, options: choices }) => ({ id, text, options: [...choices] })),
      replay: { same: replay.same, differences: replay.differences.map((one) => ({ ...one })) },
      findings: findings.map(({ file: _file, ...finding }) => finding),
    };
  });
}
