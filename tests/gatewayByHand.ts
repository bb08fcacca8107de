/** The gateway's JSON-RPC by hand: what is sent again is the client's business. */
import type { CallToolResult } from '@modelcontextprotocol/client';

import { pause } from './pause.ts';

type Headers = Record<string, string>;

export interface GatewayByHand {
  /** Sends a message until the gateway takes it. `headers`: of the session. `url`: of another orchestrator. */
  readonly post: (key: string, message: object, headers?: Headers, url?: string) => Promise<Response>;
  /** The headers of a new session. */
  readonly open: (key: string) => Promise<Headers>;
}

export function gatewayByHand(currentUrl: () => string): GatewayByHand {
  const send: GatewayByHand['post'] = (key, message, headers = {}, url = currentUrl()) =>
    fetch(`${url}/mcp/gateway`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }),
    });
  const post: GatewayByHand['post'] = async (...request) => {
    for (;;) {
      const answer = await send(...request);
      const { status, headers } = answer;
      // Postgres answers late where the machine is loaded: nothing was done, and the client is told when to try again.
      if (status !== 503) return answer;
      await answer.text();
      await pause(1_000 * Number(headers.get('retry-after') ?? 1));
    }
  };
  const open: GatewayByHand['open'] = async (key) => {
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'by-hand', version: '1' } };
    const answer = await post(key, { method: 'initialize', params });
    const text = await answer.text();
    const id = answer.headers.get('mcp-session-id');
    if (id === null) throw new Error(`${answer.status} without a session: ${text}`);
    const session = { 'mcp-session-id': id, 'mcp-protocol-version': '2025-11-25' };
    await (await post(key, { id: undefined, method: 'notifications/initialized' }, session)).text();
    return session;
  };
  return { post, open };
}

export const callOf = (name: string, given: object, meta: object = {}) => ({
  id: Math.ceil(Math.random() * 1e9),
  method: 'tools/call',
  params: { name, arguments: given, _meta: meta },
});

export async function resultOf(answer: Response): Promise<CallToolResult> {
  const text = await answer.text();
  const data = /^data: (\{.*)$/m.exec(text)?.[1] ?? text;
  const { result } = JSON.parse(data) as { result?: CallToolResult };
  if (result === undefined) throw new Error(`${answer.status} without a result: ${text}`);
  return result;
}

/** The run that a result names. */
export const runOf = (result: { _meta?: object | undefined }): string =>
  String((result._meta as Record<string, unknown> | undefined)?.['baton/run']);

/** All text of a result. */
export const textOf = ({ content }: CallToolResult): string =>
  content.map((one) => (one.type === 'text' ? one.text : '')).join('');
