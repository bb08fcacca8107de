/** MCP clients of both eras, for `mcpFace.test.ts`. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

export const adminKey = 'an-admin-key-of-our-own-0123456789abcdef';
export const authorization = `Bearer ${adminKey}`;

/** `legacy`: before 2026-07-28. */
export type ClientMode = 'legacy' | 'auto';

export interface McpClients {
  readonly mode: ClientMode;
  readonly open: (client: Client) => Promise<Client>;
  /** With `answer`, the client has a user who accepts every form with it. */
  readonly connect: (answer?: object) => Promise<Client>;
  /** `say`: the client's model. */
  readonly sampling: (say: (text: string, systemPrompt: string | undefined) => string) => Promise<Client>;
  /** The subscriptions that the server accepts. */
  readonly subscribed: (client: Client, uris: readonly string[]) => Promise<readonly string[] | undefined>;
}

export function mcpClients(mode: ClientMode, url: () => string): McpClients {
  const open = async (client: Client): Promise<Client> => {
    const transport = new StreamableHTTPClientTransport(new URL(`${url()}/mcp`), {
      requestInit: { headers: { authorization } },
    });
    await client.connect(transport);
    return client;
  };

  const connect = async (answer?: object): Promise<Client> => {
    const capabilities = answer === undefined ? {} : { elicitation: { form: {} } };
    const client = new Client({ name: 'test', version: '1' }, { capabilities, versionNegotiation: { mode } });
    if (answer !== undefined) {
      client.setRequestHandler(
        'elicitation/create',
        async () => ({ action: 'accept', content: { ...answer } }) as const,
      );
    }
    return open(client);
  };

  const sampling = async (say: (text: string, systemPrompt: string | undefined) => string): Promise<Client> => {
    const options = { capabilities: { sampling: {} }, versionNegotiation: { mode } };
    const client = new Client({ name: 'test', version: '1' }, options);
    client.setRequestHandler('sampling/createMessage', async ({ params: { messages, systemPrompt } }) => {
      const last = messages.at(-1)?.content;
      const asked = Array.isArray(last) ? last[0] : last;
      const text = say(asked?.type === 'text' ? asked.text : '', systemPrompt);
      return { role: 'assistant', model: 'of-the-client', content: { type: 'text', text } } as const;
    });
    return open(client);
  };

  const subscribed = async (client: Client, uris: readonly string[]): Promise<readonly string[] | undefined> => {
    if (mode === 'auto')
      return (await client.listen({ resourceSubscriptions: [...uris] })).honoredFilter.resourceSubscriptions;
    const taken = await Promise.allSettled(uris.map((uri) => client.subscribeResource({ uri })));
    return uris.filter((_, at) => taken[at]?.status === 'fulfilled');
  };

  return { mode, open, connect, sampling, subscribed };
}
