/** Asks addresses that users and clients gave: checks each address when it connects, and limits the size of answers. */
import { addressCheck, literalProblem, type AddressPolicy } from './addresses.ts';
import { HttpClient } from './httpClient.ts';

export interface Outbound {
  /** Why Baton never posts to such a URL; undefined if only connecting can tell. */
  refusal(url: string): string | undefined;
  /** Resolves to the status of the answer, also of a redirect. Rejects if there is none within `timeoutMs`. */
  post(url: string, request: OutboundRequest): Promise<number>;
  /** Resolves to the answer, also of a redirect. Rejects if there is none within `timeoutMs`, or if it is too large. */
  get(url: string, request: Omit<OutboundRequest, 'body'>): Promise<OutboundAnswer>;
  close(): Promise<void>;
}

interface OutboundAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

interface OutboundRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly timeoutMs: number;
}

const answerBytes = 64 * 1024;

export function openOutbound(addresses: AddressPolicy): Outbound {
  const fetcher = new HttpClient({ addresses, bodyBytes: answerBytes, timeLimitMs: 10_000 });
  const check = addressCheck(addresses);
  return {
    refusal: (text) => {
      const url = URL.parse(text);
      if (url === null) return 'This is not an absolute URL.';
      if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'The URL must begin with http: or https:.';
      if (url.username !== '' || url.password !== '') return 'The URL must not hold credentials.';
      return literalProblem(url.hostname, check)?.message;
    },
    post: async (url, { headers, body, timeoutMs }) => {
      const signal = AbortSignal.timeout(timeoutMs);
      const answer = await fetcher.fetch(url, { method: 'POST', headers, body, signal });
      // Reads the body to its end, so that the connection can be reused, and ignores it.
      await answer.text();
      return answer.status;
    },
    get: async (url, { headers, timeoutMs }) => {
      const answer = await fetcher.fetch(url, { headers, signal: AbortSignal.timeout(timeoutMs) });
      return { status: answer.status, headers: answer.headers, text: await answer.text() };
    },
    close: () => fetcher.close(),
  };
}
