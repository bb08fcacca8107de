/** Steps that make HTTP requests become calls of the built-in server `http`. */
import type { Import } from './importing.ts';

const tools = ['get', 'head', 'post', 'put', 'patch', 'delete'] as const;

export type HttpToolName = (typeof tools)[number];

/** Undefined: the built-in server has no such method. */
export const httpToolOf = (method: string): HttpToolName | undefined =>
  tools.find((one) => one === method.toLowerCase());

/** They send no body. */
export const isReading = (tool: HttpToolName): boolean => tool === 'get' || tool === 'head';

/** The tool; the finding names the host that mcp.json has to list. `url`: as the step has it. */
export function httpTool(importing: Import, tool: HttpToolName, url: unknown, pointer: string): string {
  const host = hostOf(url);
  const listed = host ?? 'api.example.com';
  importing.noteOnce(
    'host-needed',
    {
      pointer,
      message:
        host === undefined
          ? 'The host of a request is computed: mcp.json has to list each host that it may be.'
          : `A request goes to ${host}: mcp.json has to list it.`,
      hint: `"http": { "type": "builtin", "baton": { "hosts": ["${listed}"] } }`,
    },
    listed,
  );
  return importing.tool('http', tool);
}

/** Undefined: an expression decides. */
function hostOf(url: unknown): string | undefined {
  const [before = ''] = typeof url === 'string' ? url.split('${{') : [];
  const [, host] = /^https?:\/\/(?:[^/?#@]*@)?([^/?#@]+)/i.exec(before) ?? [];
  const isWhole = before === url || /^https?:\/\/[^/?#]+[/?#]/i.test(before);
  return isWhole ? host?.toLowerCase() : undefined;
}
