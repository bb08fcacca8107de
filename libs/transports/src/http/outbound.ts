/** Requests to addresses from outside: each address is checked at connection time, and answers are limited in size. */
import { addressCheck, literalProblem } from './addresses.ts';
import type { AddressPolicy } from './addresses.ts';
import { HttpClient } from './httpClient.ts';

export interface Outbound {
  /** Why such a URL is never posted to; undefined where that is found out when it is connected to. */
  refusal(url: string): string | undefined;
  /** The status of the answer; redirects are answers like others. Rejects where there is none within `timeoutMs`. */
  post(url: string, request: OutboundRequest): Promise<number>;
  close(): Promise<void>;
}

export interface OutboundRequest {
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
      if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'Only http and https are spoken here.';
      if (url.username !== '' || url.password !== '') return 'Credentials do not belong into a URL.';
      return literalProblem(url.hostname, check)?.message;
    },
    post: async (url, { headers, body, timeoutMs }) => {
      const signal = AbortSignal.timeout(timeoutMs);
      const answer = await fetcher.fetch(url, { method: 'POST', headers, body, signal });
      // Read to its end, so that the connection can be used again; what it says is of no interest.
      await answer.text();
      return answer.status;
    },
    close: () => fetcher.close(),
  };
}
