/** Messages between a worker and the process to which devices are connected: one question, one answer. */
import { createHmac } from 'node:crypto';

import { type Delivery, type FailureCode, FailureError, failureCodes } from '@baton/engine';
import { type JsonObject, defined, isObject } from '@baton/primitives';
import { z } from 'zod';

const Timeout = z.strictObject({ idleMs: z.number().optional(), totalMs: z.number().optional() });

export const RelayQuestion = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('call'),
    device: z.string(),
    tool: z.string(),
    arguments: z.custom<JsonObject>((value) => isObject(value)),
    runId: z.string(),
    attemptKey: z.string(),
    timeout: Timeout,
  }),
  z.strictObject({ kind: z.literal('catalogue'), device: z.string() }),
]);

export type RelayQuestion = z.infer<typeof RelayQuestion>;

const deliveries = ['unsent', 'rejected', 'answered', 'unknown'] as const satisfies readonly Delivery[];

const RelayFailure = z.object({
  code: z.string().refine((code): code is FailureCode => Object.hasOwn(failureCodes, code)),
  message: z.string(),
  details: z.json().optional(),
  delivery: z.enum(deliveries),
  retryAfterMs: z.number().optional(),
});

export const RelayAnswer = z.union([
  z.object({ answer: z.record(z.string(), z.json()) }),
  z.object({ failure: RelayFailure }),
]);

export function toRelayFailure({ failure, delivery, retryAfterMs }: FailureError): JsonObject {
  const { code, message, details } = failure;
  return {
    code,
    message,
    delivery,
    ...defined({ details, retryAfterMs }),
  };
}

export function fromRelayFailure(failure: z.infer<typeof RelayFailure>): FailureError {
  const { code, message, delivery, details, retryAfterMs } = failure;
  return new FailureError(code, message, {
    delivery,
    ...defined({ details, retryAfterMs }),
  });
}

/** The key that authenticates workers to the relay; both sides derive it from the installation's key. */
export const deviceRelayKey = (secretKey: Uint8Array): string =>
  createHmac('sha256', secretKey).update('baton device relay 1').digest('base64url');
