/** What npm packages bring along and Baton never uses: left out of the bundle, which is about a tenth of it. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';

import type { Plugin } from 'rolldown';

/** Of undici only its agents are used; its index would bring fetch, WebSocket, caches and mocks along. */
export function undiciPlugin(root: string): Plugin {
  const parts = {
    Agent: 'dispatcher/agent.js',
    EnvHttpProxyAgent: 'dispatcher/env-http-proxy-agent.js',
    buildConnector: 'core/connect.js',
  };
  const folder = join(root, 'node_modules', 'undici', 'lib');
  const id = '\0undici';
  return {
    name: 'undici',
    resolveId: (source) => (source === 'undici' ? id : undefined),
    load: (asked) =>
      asked === id
        ? Object.entries(parts)
            .map(([name, file]) => `export { default as ${name} } from ${JSON.stringify(join(folder, file))};`)
            .join('\n')
        : undefined,
  };
}

/** By the name under which it is imported: who imports it, and why it is never called. */
const unused: Readonly<Record<string, string>> = {
  // BullMQ's schedules; Baton has its own.
  'cron-parser': 'bullmq',
  // For processors without SIMD, which no Node that Baton runs on has.
  '../llhttp/llhttp-wasm.js': 'undici',
  // `fastify.inject`, which only tests call.
  'light-my-request': 'fastify',
};

/** Vercel's gateway of models, which the AI SDK asks if it is given the name of a model; Baton gives it models. */
const gatewayStub = `
  const isInstance = () => false;
  export const [GatewayError, GatewayAuthenticationError] = [{ isInstance }, { isInstance }];
  export const createGateway = () => { throw new Error('@ai-sdk/gateway is not part of this package'); };
  export const gateway = new Proxy({}, { get: createGateway });
`;

export const gatewayPlugin: Plugin = {
  name: 'gateway',
  resolveId: (source) => (source === '@ai-sdk/gateway' ? '\0gateway' : undefined),
  load: (id) => (id === '\0gateway' ? gatewayStub : undefined),
};

/** What is called all the same says so. */
export const unusedPlugin: Plugin = {
  name: 'unused',
  resolveId: (source, importer) =>
    source in unused && importer?.includes(`node_modules${sep}${unused[source]?.replace('/', sep)}${sep}`) === true
      ? `\0unused:${source}`
      : undefined,
  load: (id) =>
    id.startsWith('\0unused:')
      ? `module.exports = new Proxy({}, { get(_, name) { if (name === '__esModule') return true; throw new Error(${JSON.stringify(`${id.slice('\0unused:'.length)} is not part of this package`)}); } });`
      : undefined,
};

/** The client and the server of MCP carry the same validator: one is enough. */
export function sharedValidatorPlugin(root: string): Plugin {
  const folderOf = (side: string): string => join(root, 'node_modules/@modelcontextprotocol', side, 'dist');
  const fileOf = (side: string): string => {
    const name = readdirSync(folderOf(side)).find((file) => /^ajvProvider-.*\.mjs$/.test(file));
    if (name === undefined) throw new Error(`The validator of the MCP ${side} is not where it was.`);
    return join(folderOf(side), name);
  };
  const codeOf = (file: string): string => readFileSync(file, 'utf8').replaceAll(/^(?:import .*|\/\/# .*)$/gm, '');
  const [ofClient, ofServer] = [fileOf('client'), fileOf('server')];
  const areSame = codeOf(ofClient) === codeOf(ofServer);
  return {
    name: 'shared-validator',
    resolveId: (source, importer) =>
      areSame && source.startsWith('./ajvProvider-') && importer?.startsWith(folderOf('server')) ? ofClient : undefined,
  };
}
