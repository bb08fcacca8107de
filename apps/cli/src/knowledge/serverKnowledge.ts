/** Knowledge of servers, workflows and secrets, from a running Baton or from the servers of `mcp.json` themselves. */
import { dirname } from 'node:path';

import { type Client, ProblemError } from '@baton/api/client';
import { type ServersFile, readServersFile, SettingsError } from '@baton/boot';
import { failureCodes, FailureError } from '@baton/engine';
import {
  type CheckOptions,
  type OfferedPrompt,
  type ResolvedDeclaration,
  type DecidedEffect,
  type SecretBinding,
  type ServerOffer,
  type ToolHints,
  type WorkflowSignature,
  parseWorkflow,
  signatureOf,
} from '@baton/language';
import { defined } from '@baton/primitives';
import { type Tool, declarationsOf, decideEffect } from '@baton/protocol';
import { openServers } from '@baton/transports';

import type { Environment } from '../environment.ts';

export interface Knowledge {
  readonly known: CheckOptions;
  /** Sentences: the source of the knowledge, and what is missing. */
  readonly notes: readonly string[];
}

const codes = Object.keys(failureCodes);

/** Without servers: only the language. */
export const languageOnly: Knowledge = { known: { failureCodes: codes }, notes: [] };

/** Rejects with `ProblemError` or `UnreachableError`. */
export async function fromBaton(client: Client): Promise<Knowledge> {
  const { data: servers } = await client.servers.list();
  const offers = new Map<string, ServerOffer>();
  const tools = new Map<string, AskedTool>();
  await Promise.all(
    servers.map(async ({ name, allow }) => offers.set(name, { ...(await offerOf(client, name, tools)), allow })),
  );
  const effectOf = (server: string, tool: string): DecidedEffect | undefined => tools.get(`${server}/${tool}`)?.effect;
  const workflows = await signaturesOf(client, effectOf);
  const secrets = await secretsOf(client);
  return {
    known: {
      failureCodes: codes,
      servers: offers,
      effects: effectOf,
      declarations: (server, tool) => tools.get(`${server}/${tool}`)?.declared,
      ...defined({ workflows, secrets }),
    },
    notes: [`Tools are those of the Baton at ${client.url.href}.`],
  };
}

interface AskedTool {
  readonly effect: DecidedEffect;
  readonly declared: ResolvedDeclaration | undefined;
}

async function offerOf(client: Client, name: string, asked: Map<string, AskedTool>): Promise<ServerOffer> {
  try {
    const [tools, prompts, resources] = await Promise.all([
      client.servers.tools(name),
      client.servers.prompts(name),
      client.servers.resources(name),
    ]);
    for (const { name: tool, effect, effectFrom, declared } of tools.data) {
      const from = isFrom(effectFrom) ? effectFrom : 'default';
      asked.set(`${name}/${tool}`, { effect: { effect, from }, declared });
    }
    return {
      kind: 'known',
      tools: tools.data.map((tool) => ({
        ...tool,
        inputSchema: tool.inputSchema,
        outputSchema: tool.outputSchema,
        annotations: tool.annotations as ToolHints | undefined,
      })),
      prompts: prompts.data.map((prompt) => ({
        ...prompt,
        arguments: prompt.arguments as unknown as OfferedPrompt['arguments'],
      })),
      events: tools.events,
      resources: resources.data.flatMap(({ uri }) => uri ?? []),
      resourceTemplates: resources.data.flatMap(({ uriTemplate }) => uriTemplate ?? []),
      leftOut: tools.leftOut ?? [],
    };
  } catch (error) {
    if (error instanceof ProblemError) return { kind: 'unreachable', reason: error.message };
    throw error;
  }
}

const isFrom = (text: string): text is DecidedEffect['from'] =>
  ['step', 'server', 'annotations', 'default'].includes(text);

/** How many deployed workflows are read for their inputs and outputs. */
const workflowsMax = 200;

/** Undefined if the key may not see them. */
async function signaturesOf(
  client: Client,
  effects: CheckOptions['effects'],
): Promise<Map<string, WorkflowSignature> | undefined> {
  try {
    const { data } = await client.workflows.list({ limit: String(workflowsMax) });
    const read = await Promise.all(data.map(async ({ id }) => client.workflows.get(id)));
    return new Map(
      read.flatMap(({ id, source }): [string, WorkflowSignature][] => {
        const { workflow } = parseWorkflow(source);
        return workflow === undefined ? [] : [[id, signatureOf(workflow, defined({ effects }))]];
      }),
    );
  } catch (error) {
    if (error instanceof ProblemError) return undefined;
    throw error;
  }
}

async function secretsOf(client: Client): Promise<Map<string, SecretBinding> | undefined> {
  try {
    const { data } = await client.secrets.list();
    return new Map(
      data.map(({ name, workflows, servers }) => [
        name,
        { ...(workflows && { workflows }), ...(servers && { servers }) },
      ]),
    );
  } catch (error) {
    if (error instanceof ProblemError) return undefined;
    throw error;
  }
}

export interface ServersFileOptions {
  /** Absent: `mcp.json` or `.mcp.json` in the folder. */
  readonly path?: string;
  readonly folder: string;
  readonly environment: Environment;
  readonly version: string;
  /** Rejects where the user has not allowed the servers of the file. */
  readonly allow: (file: ServersFile) => Promise<void>;
}

/** Starts the configured servers, lists what they offer, and stops them. Rejects as `allow` does. */
export async function fromServersFile(options: ServersFileOptions): Promise<Knowledge> {
  const { path, folder, environment, version, allow } = options;
  try {
    const file = await readServersFile(path, folder);
    if (file.path === undefined) return { ...languageOnly, notes: ['There is no mcp.json: tools are not known.'] };
    await allow(file);
    const servers = openServers(file.config, {
      environment,
      // Only Baton has the secrets; a server that needs one counts as unreachable.
      secret: () => undefined,
      root: dirname(file.path),
      version,
      withEvents: environment['BATON_EVENTS'] !== 'off',
      addresses: { loopback: true, networks: [] },
    });
    try {
      const asked = await Promise.all(servers.names.map(async (name) => catalogueOf(servers, name)));
      const policyOf = (server: string) => file.config.servers.get(server)?.policy;
      const offers = new Map(asked.map(({ name, offer }) => [name, { ...offer, allow: policyOf(name)?.allow }]));
      const effects = (server: string, tool: string): DecidedEffect => {
        const found = asked.find(({ name }) => name === server)?.tools.find((one) => one.name === tool);
        const policy = policyOf(server);
        return decideEffect({ tool, effects: policy?.effects, trust: policy?.trust, annotations: found?.annotations });
      };
      const declarations = declarationsOf({ servers: offers, effects, policyOf });
      return {
        known: { failureCodes: codes, servers: offers, effects, declarations },
        notes: [`Tools are those of ${file.path}.`, ...file.notes],
      };
    } finally {
      await servers.close();
    }
  } catch (error) {
    if (error instanceof SettingsError) return { ...languageOnly, notes: [error.message] };
    throw error;
  }
}

interface AskedServer {
  readonly name: string;
  readonly offer: ServerOffer;
  readonly tools: readonly Tool[];
}

async function catalogueOf(servers: ReturnType<typeof openServers>, name: string): Promise<AskedServer> {
  try {
    const { tools, prompts, events, leftOut, ...listed } = await servers.catalogue(name);
    const resources = listed.resources.map(({ uri }) => uri);
    const resourceTemplates = listed.resourceTemplates.map(({ uriTemplate }) => uriTemplate);
    return { name, tools, offer: { kind: 'known', tools, prompts, events, resources, resourceTemplates, leftOut } };
  } catch (error) {
    if (!(error instanceof FailureError)) throw error;
    return { name, tools: [], offer: { kind: 'unreachable', reason: error.failure.message } };
  }
}
