/**
 * The protocol: what MCP messages and server configurations mean, as schemas and pure functions.
 *
 * No sockets, no processes, no clock. What a server sends is somebody else's text: it is checked here before anyone
 * relies on it, digested so that a change is seen, and cleaned before anyone looks at it.
 */
export { canonicalJson, digestOf } from './canonical.ts';
export { cleanText } from './cleanText.ts';
export { readServers } from './config/readServers.ts';
export type { ReadServers, ServersConfig } from './config/readServers.ts';
export { fillReferences, referencesIn } from './config/reference.ts';
export type { Reference } from './config/reference.ts';
export { resolveServer } from './config/resolveServer.ts';
export type { Lookups, ResolvedServer } from './config/resolveServer.ts';
export type { ServerPolicy } from './config/schema.ts';
export type { HttpServerConfig, ServerConfig, StdioServerConfig } from './config/server.ts';
export { urlProblem } from './config/url.ts';
export { isDeniedVariable, markVariable } from './config/variables.ts';
export { checkResult, isDeeperThan, textOf } from './content.ts';
export type { CallMethod, CheckedResult } from './content.ts';
export { decideEffect } from './effect.ts';
export type { EffectHints, EffectQuestion } from './effect.ts';
export { matchesGlob } from './glob.ts';
export { digestTool } from './toolDigest.ts';
export type { ToolDefinition, ToolDigests } from './toolDigest.ts';
