/** Handles providers that do not stream: they refuse, or answer with one JSON document. */

export class NotStreamedError extends Error {
  override readonly name = 'NotStreamedError';

  constructor() {
    super('the provider does not stream');
  }
}

/** Returns the response; rejects with `NotStreamedError` if the answer to a streaming request is no stream. */
export async function checkStreamed(body: unknown, response: Response): Promise<Response> {
  if (typeof body !== 'string' || !body.includes('"stream":true')) return response;
  const isJson = response.headers.get('content-type')?.includes('json') === true;
  if (!isJson) return response;
  if (response.ok) throw await closed(response);
  // 400 and 422 refuse the request, 501 reports a missing feature: the body says why.
  if (![400, 422, 501].includes(response.status)) return response;
  const text = await response.clone().text();
  if (/\bstream(ing)?\b/i.test(text)) throw await closed(response);
  return response;
}

async function closed(response: Response): Promise<NotStreamedError> {
  await response.body?.cancel();
  return new NotStreamedError();
}
