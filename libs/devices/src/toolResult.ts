/** Converts a device's answer to a call into the result of a tool (MCP 2025-11-25, CallToolResult). */
import { FailureError } from '@baton/engine';
import { type Json, type JsonObject, isObject } from '@baton/primitives';
import type { DeviceOutcome } from '@baton/protocol';

/** Throws `FailureError`. */
export function toolResult(tool: string, outcome: DeviceOutcome): JsonObject {
  if ('problem' in outcome) {
    const message = `The device's answer to "${tool}" says neither that it was done nor that it failed: ${outcome.problem}.`;
    throw new FailureError('invalid-result', message, { delivery: 'unknown' });
  }
  if ('error' in outcome) {
    const { error } = outcome;
    const message = error === '' ? `The service "${tool}" reported an error.` : error;
    throw new FailureError('tool-failed', message, {
      delivery: 'answered',
      details: { content: [{ type: 'text', text: error }] },
    });
  }
  return resultOf(outcome.data);
}

function resultOf(data: Json | undefined): JsonObject {
  if (data === undefined) return { content: [] };
  const text = typeof data === 'string' ? data : JSON.stringify(data);
  const content = [{ type: 'text', text }];
  return isObject(data) ? { content, structuredContent: data } : { content };
}
