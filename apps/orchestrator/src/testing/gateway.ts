/** The gateway without its process, for the simulation: calls of sessions over ports that the test provides. */
export type { FollowCallOptions, GatewayCall } from '../gateway/gatewayCalls.ts';
export { GatewayCalls } from '../gateway/gatewayCalls.ts';
export type { CallPlace } from '../gateway/heldCalls.ts';
export { HeldCalls } from '../gateway/heldCalls.ts';
export type { OpenSession } from '../gateway/sessionRuns.ts';
export { AppendQueues, RunWatches } from '@baton/control';
