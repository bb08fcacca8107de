import { route } from '../route.ts';
import { FenceLiftSchema, FenceSchema, LiftedFenceSchema } from '../schemas/fence.ts';
import { QueueSchema, SettingSchema, WorkerSchema } from '../schemas/system.ts';
import { ByIdSchema, pageOf } from '../schemas/values.ts';
import type { Access } from '../scopes.ts';

const tag = 'Service';
const access = ['admin'] as const satisfies Access;

export const systemRoutes = {
  listWorkers: route('listWorkers', {
    tag,
    summary: 'List workers',
    description: 'Oldest first, including those that have been silent for less than an hour.',
    access,
    answers: { 200: pageOf(WorkerSchema) },
  }),
  drainWorker: route('drainWorker', {
    tag,
    summary: 'Drain a worker',
    description:
      'The worker takes no more runs, and hands over each of its runs when the current call has ended. The process continues until it is stopped; after a restart it takes runs again.',
    access,
    params: ByIdSchema,
    answers: { 200: WorkerSchema },
  }),
  getQueue: route('getQueue', {
    tag,
    summary: 'Show how many runs wait, and for how long',
    access,
    answers: { 200: QueueSchema },
  }),
  listSettings: route('listSettings', {
    tag,
    summary: 'List the settings of this orchestrator and where they come from',
    access,
    answers: { 200: pageOf(SettingSchema) },
  }),
  getFence: route('getFence', {
    tag,
    summary: 'Show whether the database went back in time, and what is missing',
    access,
    answers: { 200: FenceSchema },
  }),
  liftFence: route('liftFence', {
    tag,
    summary: 'Let the runs go on after the database went back in time',
    description:
      'Each write and sample that an active run may have made in the lost time counts as unknown when it first comes up: its check finds out, its key protects it, or `ifUnknown` decides. New runs are accepted again. The audit keeps who lifted the fence, and why.',
    access,
    body: FenceLiftSchema,
    answers: { 200: LiftedFenceSchema },
  }),
};
