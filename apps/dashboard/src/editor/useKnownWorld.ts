/** Loads the current tools and prompts of the servers, for the checker. */
import type { Tool } from '@baton/api/client';
import type { OfferedTool, ServerOffer, DecidedEffect } from '@baton/language';
import { isObject } from '@baton/primitives';
import { useQueries } from '@tanstack/react-query';
import { useMemo } from 'react';

import { client } from '../api/client.ts';
import { useServers } from '../api/queries.ts';
import type { KnownWorld } from './checkerCalls.ts';

interface Offered {
  readonly tools: readonly Tool[];
  readonly offer: ServerOffer;
}

const hints = ['readOnlyHint', 'destructiveHint', 'idempotentHint'] as const;

function offered({ annotations, ...tool }: Tool): OfferedTool {
  if (!isObject(annotations)) return tool;
  const said = hints.filter((hint) => typeof annotations[hint] === 'boolean');
  return { ...tool, annotations: Object.fromEntries(said.map((hint) => [hint, annotations[hint]])) };
}

async function ask(name: string, signal: AbortSignal): Promise<Offered> {
  const [tools, prompts, resources] = await Promise.all([
    client.servers.tools(name, { signal }),
    client.servers.prompts(name, { signal }),
    client.servers.resources(name, { signal }),
  ]);
  const offer = {
    kind: 'known',
    tools: tools.data.map(offered),
    prompts: prompts.data.map((prompt) => ({ ...prompt, arguments: prompt.arguments as never[] })),
    events: tools.events,
    resources: resources.data.flatMap(({ uri }) => (uri === undefined ? [] : [uri])),
    resourceTemplates: resources.data.flatMap(({ uriTemplate }) => (uriTemplate === undefined ? [] : [uriTemplate])),
    leftOut: tools.leftOut ?? [],
  } as const;
  return { tools: tools.data, offer };
}

export interface ServerTools {
  readonly name: string;
  /** Patterns of the workflows that it exists for; undefined: all. */
  readonly allow: readonly string[] | undefined;
  /** Undefined until it has answered. */
  readonly tools: readonly Tool[] | undefined;
}

interface WorldOfEditor {
  readonly known: KnownWorld;
  readonly servers: readonly ServerTools[];
  /** Whether the tools of this server are still being read. */
  readonly isReading: (server: string) => boolean;
}

export function useKnownWorld(): WorldOfEditor {
  const { data } = useServers();
  const asked = useQueries({
    queries: (data ?? []).map(({ name, state }) => ({
      queryKey: ['offer', name],
      queryFn: ({ signal }: { readonly signal: AbortSignal }) => ask(name, signal),
      enabled: state !== 'disabled',
      staleTime: 60_000,
    })),
  });
  const version = asked.map(({ dataUpdatedAt, errorUpdatedAt }) => `${dataUpdatedAt} ${errorUpdatedAt}`).join();
  return useMemo(() => {
    // Without servers the checker does not say that one is missing.
    if (data === undefined) return { known: {}, servers: [], isReading: () => true };
    const offers = data.map(({ name, allow }, at): readonly [string, ServerOffer] => {
      const error = asked[at]?.error;
      if (error instanceof Error) return [name, { kind: 'unreachable', reason: error.message, allow }];
      return [name, { ...(asked[at]?.data?.offer ?? { kind: 'unasked' }), allow }];
    });
    const servers = data.map(({ name, allow }, at) => {
      const { data: answer, isLoading = false } = asked[at] ?? {};
      return { name, allow, tools: answer?.tools ?? (isLoading ? undefined : []) };
    });
    const effects = Object.fromEntries(
      servers.flatMap(({ name, tools }) =>
        (tools ?? []).map(({ name: tool, effect, effectFrom }) => [
          `${name}/${tool}`,
          { effect, from: effectFrom as DecidedEffect['from'] },
        ]),
      ),
    );
    const declarations = Object.fromEntries(
      servers.flatMap(({ name, tools }) =>
        (tools ?? []).flatMap(({ name: tool, declared }) =>
          declared === undefined ? [] : [[`${name}/${tool}`, declared] as const],
        ),
      ),
    );
    const reading = new Set(servers.flatMap(({ name, tools }) => (tools === undefined ? [name] : [])));
    return {
      known: { servers: new Map(offers), effects, declarations },
      servers,
      isReading: (server: string) => reading.has(server),
    };
    // `asked` is a new list at each render; `version` changes only when an answer does.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [data, version]);
}
