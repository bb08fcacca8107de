/**
 * Requests that are refused until a person has opened an address (MCP 2025-11-25, URLElicitationRequiredError). They
 * did not run: they are sent again once the person is done.
 */
import { FailureError } from '@baton/engine';
import type { JsonObject } from '@baton/language';

/** A server that asks for one address after the other is not followed for ever. */
const roundsMax = 3;
const required = -32_042;

export interface AddressesOptions {
  /** `answeringMs`: how long people have taken so far, which is not the server's time. Rejects with `FailureError`. */
  readonly ask: (answeringMs: number) => Promise<unknown>;
  /** An `elicitation/create`, and its result. Rejects with `FailureError`. */
  readonly elicit: (params: JsonObject) => Promise<JsonObject>;
}

/** Rejects with `FailureError`. */
export async function afterAddresses({ ask, elicit }: AddressesOptions): Promise<unknown> {
  let answeringMs = 0;
  for (let round = 1; ; round++) {
    try {
      return await ask(answeringMs);
    } catch (error) {
      const wanted = wantedBy(error);
      if (wanted.length === 0 || round > roundsMax) throw error;
      const begun = performance.now();
      for (const params of wanted) {
        const { action } = await elicit(params);
        if (action !== 'accept') throw error;
      }
      answeringMs += performance.now() - begun;
    }
  }
}

/** The addresses that are named; none where it is another failure. */
function wantedBy(error: unknown): readonly JsonObject[] {
  if (!(error instanceof FailureError)) return [];
  const { code, data } = (error.failure.details ?? {}) as { code?: unknown; data?: { elicitations?: unknown } };
  if (code !== required || !Array.isArray(data?.elicitations)) return [];
  return data.elicitations.filter((one: unknown): one is JsonObject => typeof one === 'object' && one !== null);
}
