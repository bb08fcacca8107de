/** `completion/complete`: suggests values for an argument of a prompt or of a resource template. */
import { FailureError } from '@baton/engine';
import { type JsonObject, cleanText, defined } from '@baton/primitives';
import { z } from 'zod';

import { isMethodUnknown } from '../failure/rpcFailure.ts';
import type { ServerIntroduction } from './introduction.ts';

export interface CompletionRequest {
  readonly of: { readonly prompt: string } | { readonly uriTemplate: string };
  readonly argument: string;
  /** The beginning of the value, as typed so far. */
  readonly value: string;
  /** Other arguments whose values are known (2025-06-18 and later). */
  readonly others?: Readonly<Record<string, string>>;
}

export interface Completion {
  readonly values: readonly string[];
  readonly total?: number;
  readonly hasMore: boolean;
}

const nothing: Completion = { values: [], hasMore: false };
const valuesMax = 100;
const valueCharacters = 1_024;

const Completed = z.object({
  completion: z.object({
    values: z.array(z.string()),
    total: z.number().optional().catch(undefined),
    hasMore: z.boolean().optional().catch(undefined),
  }),
});

/** Resolves to no values if the server offers no completions. Rejects with `FailureError`. */
export async function complete(
  { of, argument, value, others }: CompletionRequest,
  { capabilities, protocolVersion }: ServerIntroduction,
  request: (method: string, params: JsonObject) => Promise<unknown>,
): Promise<Completion> {
  // The first revision had completions, but no capability for them.
  if (capabilities['completions'] === undefined && protocolVersion !== '2024-11-05') return nothing;
  const ref = 'prompt' in of ? { type: 'ref/prompt', name: of.prompt } : { type: 'ref/resource', uri: of.uriTemplate };
  const context = others === undefined ? {} : { context: { arguments: others } };
  const params = { ref, argument: { name: argument, value }, ...context };
  const answer = await request('completion/complete', params).catch((error: unknown) => {
    if (isMethodUnknown(error)) return { completion: nothing };
    throw error;
  });
  const result = Completed.safeParse(answer);
  if (!result.success) {
    const message = 'The server answered completion/complete with something else.';
    throw new FailureError('invalid-result', message, { delivery: 'answered', cause: result.error });
  }
  const { values, total, hasMore = false } = result.data.completion;
  return {
    values: values.slice(0, valuesMax).map((text) => cleanText(text, valueCharacters)),
    ...defined({ total }),
    hasMore: hasMore || values.length > valuesMax,
  };
}
