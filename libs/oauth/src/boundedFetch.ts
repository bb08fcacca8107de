/** `fetch` for servers that are not ours: an answer has a limit. */
import type { CustomFetchOptions } from 'openid-client';

import { ProviderFault } from './providerFault.ts';

const answerBytes = 1_048_576;

/** Rejects with `ProviderFault`, and as `fetch` does. */
export async function boundedFetch(url: string, options: CustomFetchOptions): Promise<Response> {
  const { host } = new URL(url);
  const answer = await fetch(url, options as RequestInit);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of answer.body ?? []) {
      bytes += chunk.length;
      if (bytes > answerBytes) throw new ProviderFault('away', `${host} sent more than ${answerBytes} bytes.`);
      chunks.push(chunk);
    }
  } catch (error) {
    // The connection was cut within the answer.
    if (!(error instanceof TypeError)) throw error;
    throw new ProviderFault('away', `${host} did not finish its answer. Try again in a moment.`, { cause: error });
  }
  const { status, headers } = answer;
  return new Response(chunks.length === 0 ? null : Buffer.concat(chunks), { status, headers });
}
