import { route } from '../route.ts';
import { FenceLiftSchema, FenceSchema, LiftedFenceSchema } from '../schemas/fence.ts';
import type { Access } from '../scopes.ts';

const tag = 'Service';
const access: Access = ['admin'];

export const fenceRoutes = {
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
