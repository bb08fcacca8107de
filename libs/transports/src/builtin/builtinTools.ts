/** What a server within Baton offers, and what its tools share. */
import { typesAnswer } from '@baton/expressions';
import { z } from 'zod';

import type { PostDelivery } from '../http/postDelivery.ts';
import type { Answer } from '../link/messages.ts';

/** Who makes a call. */
export interface BuiltinCaller {
  /** Absent: no workflow does. `isDeployed`: false where it came with its run, and so chose its name itself. */
  readonly workflow?: { readonly id: string; readonly isDeployed: boolean };
  /** The run, or the trigger. */
  readonly by: string;
}

/** In `_meta` of a call, which no other server is sent. */
export const callerKey = 'baton/caller';

export interface BuiltinTools {
  /** As `tools/list` answers them. */
  readonly tools: readonly object[];
  /** Rejects with `FailureError` where there is no answer. */
  call(name: string, written: unknown, delivery: PostDelivery, caller: BuiltinCaller): Promise<Answer>;
}

const invalidArguments = -32_602;

/** The call cannot be made as it was asked for; nothing was sent. The message is a sentence. */
export class RefusedCall extends Error {
  override readonly name = 'RefusedCall';
}

/** The argument `output`. */
export const outputTyping = (field: string, description: string) =>
  z
    .record(z.string(), z.unknown())
    .optional()
    .describe(`A JSON Schema of "${field}": types what ${description}`)
    .meta({ [typesAnswer]: field });

interface ListedTool {
  readonly description: string;
  readonly takes: z.ZodType;
  readonly answers: z.ZodType;
  readonly annotations: object;
}

/** As `tools/list` answers it. */
export const listedTool = (name: string, { description, takes, answers, annotations }: ListedTool): object => ({
  name,
  description,
  inputSchema: z.toJSONSchema(takes, { io: 'input' }),
  outputSchema: z.toJSONSchema(answers),
  annotations,
});

/** The call was not carried out. `message`: a sentence. */
export const refusal = (message: string): Answer => ({ error: { code: invalidArguments, message } });

export const wordsOf = ({ issues }: z.ZodError): string =>
  issues.map(({ path, message }) => `/${path.map(String).join('/')}: ${message}`).join('; ');
