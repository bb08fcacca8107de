/** A run with everything that came from outside, as a file that `baton test` replays. */
import * as z from 'zod';

import { shape } from '../document/shape.ts';
import { AnyValue, ValueMap } from '../document/values.ts';

const RecordedFailure = shape('recordedFailure', {
  code: z.string().min(1),
  message: z.string(),
  /** How far the call got; absent: it was answered. */
  delivery: z.enum(['unsent', 'rejected', 'answered', 'unknown']).optional(),
});

const Usage = shape('recordedUsage', {
  inputTokens: z.int().min(0).exactOptional(),
  outputTokens: z.int().min(0).exactOptional(),
  usd: z.number().min(0).exactOptional(),
  estimated: z.literal(true).exactOptional(),
});

/** One attempt. Without `result`, `outputs` and `error` it was stopped before it ended. */
const RecordedCall = shape('recordedCall', {
  /** Of the step, in the run. */
  path: z.string().min(1),
  /** Absent: the first. */
  attempt: z.int().min(1).optional(),
  /** `state`: a write that was refused, with its error. */
  verb: z.enum(['tool', 'prompt', 'resource', 'sample', 'workflow', 'state']).optional(),
  /** `server/tool` and the like, as the run shows it. */
  target: z.string().optional(),
  /** The decided effect; absent: the workflow's, or `write`. */
  effect: z.enum(['read', 'idempotent', 'write']).optional(),
  /** The server executes the call once for its key. */
  keyed: z.boolean().optional(),
  with: AnyValue.optional(),
  tookMs: z.int().min(0).optional(),
  /** As in MCP. */
  result: ValueMap.optional(),
  /** Of a child run. */
  outputs: AnyValue.optional(),
  error: RecordedFailure.optional(),
  usage: Usage.optional(),
});

const RecordedAnswer = shape('recordedAnswer', {
  path: z.string().min(1),
  answer: AnyValue,
  by: z.string().optional(),
});

const RecordedSignal = shape('recordedSignal', {
  name: z.string().min(1),
  payload: AnyValue.optional(),
  by: z.string().optional(),
});

/** What expressions can read about the run itself. */
const RecordedRun = shape('recordedRun', {
  id: z.string().min(1).optional(),
  version: z.int().min(1).optional(),
  startedAt: z.iso.datetime().optional(),
  trigger: z.string().optional(),
});

export const RecordingSchema = shape('recording', {
  /** The workflow's file, relative to the folder of this one. */
  workflow: z.string().min(1),
  run: RecordedRun.optional(),
  inputs: ValueMap.optional(),
  /** Of the workflow, as the run finds it; a key that is absent was never written. */
  state: ValueMap.optional(),
  calls: z.array(RecordedCall).optional(),
  answers: z.array(RecordedAnswer).optional(),
  signals: z.array(RecordedSignal).optional(),
  /** Absent: it succeeds. */
  status: z.enum(['succeeded', 'failed']).optional(),
  outputs: AnyValue.optional(),
  /** After the run. */
  stateAfter: ValueMap.optional(),
  error: shape('recordedEnd', {
    code: z.string().min(1),
    step: z.string().optional(),
    message: z.string().optional(),
  }).optional(),
});

export type Recording = Readonly<z.infer<typeof RecordingSchema>>;
export type RecordedCall = Readonly<NonNullable<Recording['calls']>[number]>;
