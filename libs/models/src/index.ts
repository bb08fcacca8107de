/**
 * Models: answers sampling through the providers that mcp.json names, by the AI SDK.
 *
 * It asks once and says how that went; whether to ask again is the engine's to decide. It keeps nothing, reads no
 * environment, fetches nothing but the answer, and shows no key to anyone.
 */
export { ModelsConfig } from './config.ts';
export { createModels } from './createModels.ts';
