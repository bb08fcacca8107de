/**
 * The protocol: what MCP messages, server configurations and signed webhooks mean, as schemas and pure functions.
 *
 * No sockets, no processes, no clock. Text of servers is untrusted: it is checked before it is used, digested so that
 * changes are noticed, and cleaned before it is shown.
 *
 * Folders, lowest first: messages, events, catalogue, config, device, recipes, registry, status, webhooks.
 */
export { admitMessage, admitOAuth, admitResult } from './messages/admit.ts';
export { digestOf } from './catalogue/digestOf.ts';
export { readCatalogue } from './catalogue/catalogue.ts';
export type { Catalogue, EventType, IntroducedServer, Prompt, Tool } from './catalogue/catalogue.ts';
export { fromCreateMessage, toCreateMessage } from './messages/completionCreate.ts';
export { addServer } from './config/addServer.ts';
export { credentialsIn, isCredentialName } from './config/credentialRule.ts';
export { credentialsOfModels } from './config/plainCredentials.ts';
export { ModelsConfig, type ModelConfig, type ProviderConfig, type ScriptedRule } from './config/modelsSchema.ts';
export { readServers, type ServersConfig } from './config/readServers.ts';
export { isListedHost } from './config/hosts.ts';
export { hasFixedLogin } from './config/loginFault.ts';
export { loginOf } from './config/loginOf.ts';
export { readAccount, writtenAccount } from './config/writtenAccount.ts';
export { fillReferences, referencesIn, type Reference } from './config/reference.ts';
export { credentialsOf, resolveServer, type Lookups } from './config/resolveServer.ts';
export { ServerPolicy, type AuthPolicy } from './config/schema.ts';
export type { BuiltinServerConfig, HttpServerConfig, ServerConfig, StdioServerConfig } from './config/server.ts';
export { urlProblem } from './config/url.ts';
export { isDeniedVariable, markVariable } from './config/variables.ts';
export { checkResult, isDeeperThan, textOf, type CallMethod } from './messages/content.ts';
export { encodeMessage, encodeText, type DeviceFrame } from './device/frame.ts';
export { FrameDecoder, type FrameFault } from './device/frameDecoder.ts';
export { callMessage, errorMessage, readDeviceMessage, readServices } from './device/message.ts';
export type { DeviceMessage, DeviceOutcome, DeviceService, DeviceServices } from './device/message.ts';
export { driftOf, driftText, isBlocking, judgeDrift, keptDefinition } from './catalogue/drift.ts';
export type { Drift, DriftPolicy, DriftVerdict, LiveTool, PinnedTool } from './catalogue/drift.ts';
export { declarationsOf } from './config/declarationsOf.ts';
export { decideEffect } from './catalogue/effect.ts';
export { readEventPage, readOccurrence, readPosted, readSubscription } from './events/eventMessages.ts';
export type { EventPage, EventSubscription, Occurrence } from './events/eventMessages.ts';
export { type StreamNews, isStreamNews, readStreamNews } from './events/streamNews.ts';
export { paramHeadersOf, requestHeaders } from './messages/paramHeaders.ts';
export { applyRecipe, serversFor } from './recipes/applyRecipe.ts';
export type { Recipe } from './recipes/recipe.ts';
export { recipes } from './recipes/recipes.ts';
export { readRegistryEntry } from './registry/registryEntry.ts';
export type { RegistryEntry, RegistryInput, RegistryPackage, RegistryRemote } from './registry/registryEntry.ts';
export type { BreakerState, LastError, ServerStatus } from './status/serverStatus.ts';
export { serverSight, type ServerSight } from './status/serverSight.ts';
export { checkStructured, unfitIn } from './messages/structured.ts';
export { digestTool, type ToolDigests } from './catalogue/toolDigest.ts';
export { hookKeyBytesMin } from './webhooks/hmac.ts';
export { webhookSchemes, type WebhookScheme } from './webhooks/schemes.ts';
export { isHookKey, signedHeaders, standardHeaders, verifyDelivery } from './webhooks/signature.ts';
export type { VerifiedDelivery } from './webhooks/signature.ts';
