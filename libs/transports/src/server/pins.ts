/** Checks whether the tools that a version relies on are still those it was checked against. */
import { FailureError } from '@baton/engine';
import { splitTarget } from '@baton/language';
import {
  type DriftPolicy,
  type DriftVerdict,
  type LiveTool,
  type PinnedTool,
  type ServersConfig,
  driftOf,
  judgeDrift,
} from '@baton/protocol';

type Pins = Readonly<Record<string, PinnedTool>>;

type NamedTool = LiveTool & { readonly name: string };

interface ListedTools {
  /** Rejects with `FailureError`. */
  catalogue(server: string): Promise<{ readonly tools: readonly NamedTool[] }>;
}

/**
 * Compares the tools behind `pins` (by `server/tool`) with the current ones, by each server's `tools` policy. Uses
 * cached catalogues. A server that does not answer, or is not
 * configured, is not judged: the call itself will say so.
 */
export async function checkPins(
  pins: Pins,
  servers: ListedTools,
  { servers: configs }: ServersConfig,
): Promise<DriftVerdict> {
  const policyOf = (server: string): DriftPolicy => configs.get(server)?.policy.tools ?? 'block';
  const relied = Object.entries(pins).filter(([, { contract }]) => contract !== undefined);
  const named = new Set(relied.map(([tool]) => serverOf(tool)));
  const asked = [...named].filter((server) => configs.has(server) && policyOf(server) !== 'accept');
  const live = new Map<string, LiveTool | null>();
  await Promise.all(
    asked.map(async (server) => {
      const tools = await toolsOf(servers, server);
      if (tools === undefined) return;
      for (const [tool] of relied.filter(([one]) => serverOf(one) === server)) live.set(tool, tools.get(tool) ?? null);
    }),
  );
  return judgeDrift(driftOf(pins, live), policyOf);
}

const serverOf = (tool: string): string => splitTarget(tool)[0];

/** Keyed by the catalogue's list, which is the same object until the tools change: every run looks tools up. */
const named = new WeakMap<readonly LiveTool[], ReadonlyMap<string, LiveTool>>();

async function toolsOf(servers: ListedTools, server: string): Promise<ReadonlyMap<string, LiveTool> | undefined> {
  try {
    const { tools } = await servers.catalogue(server);
    const known = named.get(tools) ?? new Map(tools.map((tool) => [`${server}/${tool.name}`, tool]));
    named.set(tools, known);
    return known;
  } catch (error) {
    if (error instanceof FailureError) return undefined;
    throw error;
  }
}
