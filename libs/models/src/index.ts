/**
 * Models: answers sampling requests through the providers that mcp.json names, with the AI SDK.
 *
 * It sends each request once and reports the outcome; the engine decides about retries. It stores nothing, reads no
 * environment, fetches only the answer, and shows no key.
 */
export { createModels } from './createModels.ts';
