/**
 * Calls of the built-in server `kv`: values that the workflows of one project share. The project is that of the workflow
 * that calls, so no argument can name another one.
 */
import { FailureError } from '@baton/engine';
import { limits } from '@baton/expressions';
import { projectOf, sessionWorkflow } from '@baton/language';
import { type Json, type JsonObject, isStorableText } from '@baton/primitives';
import { type KeySpace, type KeyValues, UnavailableError } from '@baton/runner';
import type { z } from 'zod';

import type { PostDelivery } from '../http/postDelivery.ts';
import type { Answer } from '../link/messages.ts';
import { type BuiltinCaller, type BuiltinTools, RefusedCall, refusal, wordsOf } from './builtinTools.ts';
import { DeleteArguments, GetArguments, ListArguments, PutArguments, listedKvTools } from './kvTools.ts';

interface KvCallsOptions {
  /** The server's name in `mcp.json`. */
  readonly server: string;
  /** Undefined: this process only lists the tools. */
  readonly keyValues: KeyValues | undefined;
}

interface KvCall {
  readonly values: KeyValues;
  readonly space: KeySpace;
  readonly written: unknown;
  readonly by: string;
}

/** Each resolves to the structured answer, and rejects with `RefusedCall` and `UnavailableError`. */
const calls: Readonly<Record<string, (call: KvCall) => Promise<JsonObject>>> = {
  async get({ values, space, written }) {
    const { key, default: usual = null } = parsed(GetArguments, written);
    const found = await values.get(space, storable(key));
    return { found: found !== undefined, value: found === undefined ? (usual as Json) : found.value };
  },
  async put({ values, space, written, by }) {
    const { key, value } = parsed(PutArguments, written);
    if (value === undefined) throw new RefusedCall('"value" is missing; null is a value.');
    const bytes = Buffer.byteLength(JSON.stringify(value));
    const { valueBytes, keys } = limits.kv;
    if (bytes > valueBytes)
      throw new RefusedCall(`"value" has ${bytes} bytes as JSON, and ${valueBytes} is the most (64 KiB).`);
    if (await values.put(space, { key: storable(key), value: value as Json, by })) return { key };
    throw new RefusedCall(
      `The project "${space.project}" has ${keys.toLocaleString('en')} keys, which is the most: delete some first.`,
    );
  },
  async list({ values, space, written }) {
    const { prefix = '', after, limit } = parsed(ListArguments, written);
    const { keys, next = null } = await values.list(space, {
      prefix: storable(prefix),
      after: after && storable(after),
      limit,
    });
    return { keys: keys.map(({ key, bytes, at }) => ({ key, bytes, at: at.toISOString() })), next };
  },
  async delete({ values, space, written }) {
    const { key } = parsed(DeleteArguments, written);
    return { found: await values.delete(space, storable(key)) };
  },
};

export class KvCalls implements BuiltinTools {
  readonly tools = listedKvTools;
  readonly #options: KvCallsOptions;

  constructor(options: KvCallsOptions) {
    this.#options = options;
  }

  async call(name: string, written: unknown, delivery: PostDelivery, caller: BuiltinCaller): Promise<Answer> {
    const call = Object.hasOwn(calls, name) ? calls[name] : undefined;
    if (call === undefined) return refusal(`There is no tool "${name}".`);
    const { server, keyValues: values } = this.#options;
    const space = spaceOf(caller);
    if (space === undefined)
      return refusal(
        `"${server}" has values for each project of workflows, and no workflow makes this call: make it in a step of one.`,
      );
    if (values === undefined) return refusal(`The values of "${server}" are where Baton runs, and not here.`);
    try {
      delivery.onSent();
      const structuredContent = await call({ values, space, written, by: caller.by });
      return { result: { content: [], structuredContent } };
    } catch (error) {
      if (error instanceof RefusedCall) return refusal(error.message);
      if (!(error instanceof UnavailableError)) throw error;
      const message = `"${server}" could not reach its values: ${error.message}`;
      throw new FailureError('server-unreachable', message, { delivery: 'unknown', cause: error });
    }
  }
}

/** Undefined: the call belongs to no project. */
function spaceOf({ workflow }: BuiltinCaller): KeySpace | undefined {
  if (workflow === undefined || workflow.id === sessionWorkflow) return undefined;
  return { project: projectOf(workflow.id), isInline: !workflow.isDeployed };
}

function parsed<Arguments>(takes: z.ZodType<Arguments>, written: unknown): Arguments {
  const { success, data, error } = takes.safeParse(written);
  if (success) return data;
  throw new RefusedCall(wordsOf(error));
}

function storable(text: string): string {
  if (isStorableText(text)) return text;
  throw new RefusedCall('A key must not hold a NUL or half a surrogate pair.');
}
