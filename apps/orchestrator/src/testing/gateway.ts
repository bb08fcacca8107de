/** The gateway without its process, for the simulation: calls of sessions over ports that the test provides. */
export { GatewayCalls, type FollowCallOptions, type GatewayCall } from '../gateway/gatewayCalls.ts';
export { HeldCalls, type CallPlace } from '../gateway/heldCalls.ts';
export type { OpenSession } from '../gateway/sessionRuns.ts';
export { AppendQueues, RunWatches } from '@baton/control';
