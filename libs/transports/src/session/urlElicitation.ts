/**
 * Handles requests that the server refuses until a person has opened a URL (MCP 2025-11-25,
 * URLElicitationRequiredError). Such a request did not run: it is sent again once the person is done.
 */
import { FailureError } from '@baton/engine';
import type { JsonObject } from '@baton/primitives';

/** Limits how often a server may answer one request with further URLs. */
const roundsMax = 3;
const required = -32_042;

export interface UrlElicitationOptions {
  /** `answeringMs`: time that people took so far, which does not count as the server's. Rejects with `FailureError`. */
  readonly ask: (answeringMs: number) => Promise<unknown>;
  /** Answers an `elicitation/create`. Rejects with `FailureError`. */
  readonly elicit: (params: JsonObject) => Promise<JsonObject>;
}

/** Rejects with `FailureError`. */
export async function requestAfterUrls({ ask, elicit }: UrlElicitationOptions): Promise<unknown> {
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

/** The URLs that the failure names; none if it is another failure. */
function wantedBy(error: unknown): readonly JsonObject[] {
  if (!(error instanceof FailureError)) return [];
  const { code, data } = (error.failure.details ?? {}) as { code?: unknown; data?: { elicitations?: unknown } };
  if (code !== required || !Array.isArray(data?.elicitations)) return [];
  return data.elicitations.filter((one: unknown): one is JsonObject => typeof one === 'object' && one !== null);
}
