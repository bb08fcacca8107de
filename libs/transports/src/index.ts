/**
 * The transports: move MCP messages, and pool the sessions over them.
 *
 *   openServers(config, options)   calls, catalogues and the state of every configured server
 *   openDevices(options)           listens for devices, which are servers like the others
 *   deviceRelay, relayedDevices    the two ends of the way from a worker to devices that another process listens for
 *
 * A call is sent at most once, unless it certainly did not run; every failure says how far the call got. A faulty
 * session
 * is never used again. Nothing is started before it is needed, and closing leaves nothing behind.
 * It knows no workflow, stores nothing, and never decides whether a call is retried.
 */
export { bridgeStdio } from './session/bridge.ts';
export type { BridgeOptions } from './session/bridge.ts';
export type { Catalogue, Prompt, Resource, ResourceTemplate, Tool } from './catalogue/catalogue.ts';
export { deviceRelay } from './device/deviceRelay.ts';
export type { RelayReply, RelayRequest } from './device/deviceRelay.ts';
export type { DeviceServers } from './device/deviceServers.ts';
export { openDevices } from './device/openDevices.ts';
export type { Devices, DevicesOptions } from './device/openDevices.ts';
export { relayedDevices } from './device/relayedDevices.ts';
export type { RelayedDevicesOptions } from './device/relayedDevices.ts';
export { deviceRelayKey } from './device/relayMessage.ts';
export type { Completion, CompletionAsked } from './session/completion.ts';
export type { ServerRequest, Handlers, ServerLog } from './session/handlers.ts';
export type { AddressPolicy } from './http/addresses.ts';
export { openOutbound } from './http/outbound.ts';
export type { Outbound, OutboundRequest } from './http/outbound.ts';
export type { ServerMetricsPort } from './server/serverMetricsPort.ts';
export type { OAuthOptions, TokenStore } from './oauth/tokenStore.ts';
export type { LastError } from './session/sessionOpener.ts';
export type { SessionLimits } from './pool/limits.ts';
export type { ServerStatus } from './server/server.ts';
export { serverFigures } from './server/serverMetrics.ts';
export type { MetricsRegistry, ServerMetrics } from './server/serverMetrics.ts';
export { checkPins } from './catalogue/pins.ts';
export { openServers } from './server/servers.ts';
export type { Servers, ServersOptions } from './server/servers.ts';
export type { ResourceUpdate, Subscription } from './session/subscriptions.ts';
