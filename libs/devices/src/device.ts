/** One device as a server whose tools are the registered services. It stays known while it is disconnected. */
import { argumentsFailure, FailureError } from '@baton/engine';
import { didYouMean } from '@baton/expressions';
import { type JsonObject, withHint, type Json, isObject } from '@baton/primitives';
import {
  readCatalogue,
  type Catalogue,
  type DeviceService,
  type DeviceServices,
  type ServerStatus,
  type DeviceOutcome,
} from '@baton/protocol';
import type { CallContext, CallResult } from '@baton/runner';

import type { DeviceConnection } from './deviceConnection.ts';

export class Device {
  readonly name: string;
  /** Whether the device gave its name itself; otherwise the name is valid for one connection. */
  readonly isNamed: boolean;
  connection: DeviceConnection | undefined;
  /** Epoch milliseconds. */
  #disconnectedAt = 0;
  readonly #services = new Map<string, DeviceService>();
  #problems: readonly string[] = [];
  #catalogue: Promise<Catalogue> | undefined;

  constructor(name: string, isNamed: boolean) {
    this.name = name;
    this.isNamed = isNamed;
  }

  get services(): ReadonlyMap<string, DeviceService> {
    return this.#services;
  }

  /** Adds services to those that this connection registered earlier. */
  register({ services, problems }: DeviceServices): void {
    for (const service of services) this.#services.set(service.name, service);
    this.#problems = [...this.#problems, ...problems].slice(-50);
    this.#catalogue = undefined;
  }

  arrive(connection: DeviceConnection): void {
    this.connection = connection;
    this.#services.clear();
    this.#problems = [];
    this.#catalogue = undefined;
  }

  leave(now: number): void {
    this.connection = undefined;
    this.#disconnectedAt = now;
  }

  /** Rejects with `FailureError`. */
  async call(tool: string, args: JsonObject, context: CallContext): Promise<CallResult> {
    const connection = this.#connected();
    const service = this.#services.get(tool) ?? this.#missing(tool);
    const unfit = argumentsFailure(`"${tool}" of the device "${this.name}"`, service.inputSchema, args);
    if (unfit !== undefined) throw unfit;
    context.onSession?.(connection.id);
    const { outcome, waitedMs } = await connection.calls.call(tool, args, context);
    return { result: toolResult(tool, outcome), session: { session: connection.id, waitedMs } };
  }

  /** Rejects with `FailureError` while the device is disconnected. */
  async catalogue(): Promise<Catalogue> {
    this.#connected();
    this.#catalogue ??= this.#read();
    return this.#catalogue;
  }

  status(): ServerStatus {
    const calls = this.connection?.calls;
    return {
      name: this.name,
      type: 'device',
      state: this.connection === undefined ? 'failing' : 'ready',
      sessions: {
        open: calls === undefined ? 0 : 1,
        busy: calls === undefined || calls.inFlight === 0 ? 0 : 1,
        suspect: 0,
        opening: 0,
        inFlight: calls?.inFlight ?? 0,
      },
      waiting: calls?.waiting ?? 0,
      protocolVersion: undefined,
      era: undefined,
      server: undefined,
      breaker: { kind: 'closed', failures: 0 },
      lastError:
        this.connection === undefined
          ? {
              code: 'server-unreachable',
              message: this.#disconnectedMessage(),
              at: this.#disconnectedAt,
              details: undefined,
            }
          : undefined,
    };
  }

  async #read(): Promise<Catalogue> {
    const tools = [...this.#services.values()].map(({ name, description, inputSchema }) => ({
      name,
      description,
      inputSchema,
    }));
    const introduction = {
      protocolVersion: 'framed',
      server: undefined,
      capabilities: { tools: {} },
      instructions: undefined,
      prior: { kind: 'legacy' as const },
    };
    const catalogue = await readCatalogue(introduction, {
      request: async () => ({ tools }),
      now: () => performance.now(),
    });
    return { ...catalogue, problems: [...this.#problems, ...catalogue.problems] };
  }

  #connected(): DeviceConnection {
    if (this.connection !== undefined) return this.connection;
    throw new FailureError('server-unreachable', this.#disconnectedMessage(), { delivery: 'unsent' });
  }

  #disconnectedMessage(): string {
    return `The device "${this.name}" is not connected.`;
  }

  #missing(tool: string): never {
    const hint = didYouMean(tool, [...this.#services.keys()], (name) => `${this.name}/${name}`);
    const message = `The device "${this.name}" has no service "${tool.slice(0, 80)}".`;
    throw new FailureError('tool-not-found', withHint(message, hint), { delivery: 'unsent' });
  }
}

/** The result of a tool (MCP 2025-11-25, CallToolResult). Throws `FailureError`. */
function toolResult(tool: string, outcome: DeviceOutcome): JsonObject {
  if ('problem' in outcome) {
    const message = `The device's answer to "${tool}" says neither that it was done nor that it failed: ${outcome.problem}.`;
    throw new FailureError('invalid-result', message, { delivery: 'unknown' });
  }
  if ('error' in outcome) {
    const { error } = outcome;
    const message = error === '' ? `The service "${tool}" reported an error.` : error;
    throw new FailureError('tool-failed', message, {
      delivery: 'answered',
      details: { content: [{ type: 'text', text: error }] },
    });
  }
  return resultOf(outcome.data);
}

function resultOf(data: Json | undefined): JsonObject {
  if (data === undefined) return { content: [] };
  const text = typeof data === 'string' ? data : JSON.stringify(data);
  const content = [{ type: 'text', text }];
  return isObject(data) ? { content, structuredContent: data } : { content };
}
