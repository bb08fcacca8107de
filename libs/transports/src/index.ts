/**
 * The transports: move MCP messages, and pool the sessions over them.
 *
 *   openServers(config, options)   calls, catalogues and the state of every configured server
 *
 * A call is sent at most once, unless it certainly did not run; every failure says how far the call got. A faulty
 * session is never used again. Nothing is started before it is needed, and closing leaves nothing behind. This room
 * knows no workflow, stores nothing, and never decides whether a call is retried.
 *
 * Folders, lowest first: link, failure, stdio, http, builtin, oauth, session, pool, catalogue, server.
 */
export { bridgeStdio } from './session/bridge.ts';
export type { ServerRequest, Handlers, ServerLog } from './session/handlers.ts';
export { networkOf } from './http/addresses.ts';
export { HttpClient } from './http/httpClient.ts';
export { openOutbound, type Outbound } from './http/outbound.ts';
export type { OAuthOptions } from './oauth/tokenStore.ts';
export type { EventStream } from './server/eventStream.ts';
export { serverMetrics } from './server/serverMetrics.ts';
export { checkPins } from './server/pins.ts';
export { openServers, type Servers } from './server/servers.ts';
export type { ResourceUpdate, Subscription } from './session/subscriptions.ts';
