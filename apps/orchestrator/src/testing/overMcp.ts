import type { TestApp } from './testApp.ts';

/** What a tool of `/mcp` answers, as it comes. */
export const overMcp = (app: Pick<TestApp, 'app'>, key: string, name: string, given: object): Promise<string> =>
  askOverMcp(app, key, 'tools/call', { name, arguments: given });

/** What `/mcp`, or another address, answers, as it comes. */
export async function askOverMcp(
  { app }: Pick<TestApp, 'app'>,
  key: string,
  asked: string,
  given: object,
  url = '/mcp',
): Promise<string> {
  const post = (method: string, params: object, session: Record<string, string>) =>
    app.inject({
      method: 'POST',
      url,
      headers: {
        host: '127.0.0.1',
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...session,
      },
      payload: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
  const clientInfo = { name: 'test', version: '1' };
  const opened = await post('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }, {});
  const session = { 'mcp-session-id': String(opened.headers['mcp-session-id']) };
  return (await post(asked, given, session)).payload;
}
