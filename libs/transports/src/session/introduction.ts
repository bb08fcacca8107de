/** How a server introduces itself: by `initialize`, or since 2026-07-28 by `server/discover`. */
import { type JsonObject, cleanText, isObject } from '@baton/primitives';
import type { IntroducedServer } from '@baton/protocol';
import { SERVER_INFO_META_KEY } from '@modelcontextprotocol/client';

/** Revisions with `initialize`, newest first. */
export const revisions = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07'] as const;
export const modernRevision = '2026-07-28';

export interface ServerIntroduction extends IntroducedServer {
  /** What later sessions need not find out again. `offered`: the revision that the server accepted after refusing newer ones. */
  readonly prior: { readonly kind: 'legacy'; readonly offered?: string } | { readonly kind: 'modern' };
}

/** The longest name of a server that is stored. */
const nameCharacters = 200;

/** A sentence says which member is wrong. */
export function readInitialized(result: unknown): ServerIntroduction | string {
  if (!isObject(result)) return 'its introduction is no object';
  const { protocolVersion, capabilities, serverInfo, instructions } = result;
  if (typeof protocolVersion !== 'string') return wrongMember('protocolVersion', protocolVersion, 'a text');
  if (!isObject(capabilities)) return wrongMember('capabilities', capabilities, 'an object');
  const server = isObject(serverInfo) ? namedIn(serverInfo) : wrongMember('serverInfo', serverInfo, 'an object');
  if (typeof server === 'string') return server;
  if (instructions !== undefined && typeof instructions !== 'string')
    return wrongMember('instructions', instructions, 'a text');
  return { protocolVersion, server, capabilities, instructions, prior: { kind: 'legacy' } };
}

/** Undefined if the result says nothing of a revision that Baton speaks without `initialize`. */
export function readDiscovered(result: unknown): ServerIntroduction | undefined {
  if (!isObject(result)) return undefined;
  const { supportedVersions, capabilities, instructions, _meta: meta } = result;
  const isModern = Array.isArray(supportedVersions) && supportedVersions.includes(modernRevision);
  if (!isModern || !isObject(capabilities)) return undefined;
  const info = isObject(meta) ? meta[SERVER_INFO_META_KEY] : result['serverInfo'];
  const server = isObject(info) ? namedIn(info) : undefined;
  return {
    protocolVersion: modernRevision,
    server: typeof server === 'string' ? undefined : server,
    capabilities,
    instructions: typeof instructions === 'string' ? instructions : undefined,
    prior: { kind: 'modern' },
  };
}

function namedIn({
  name,
  version,
}: Readonly<Record<string, unknown>>): NonNullable<IntroducedServer['server']> | string {
  if (typeof name !== 'string') return wrongMember('serverInfo.name', name, 'a text');
  if (typeof version !== 'string') return wrongMember('serverInfo.version', version, 'a text');
  return { name: cleanText(name, nameCharacters), version: cleanText(version, nameCharacters) };
}

function wrongMember(member: string, value: unknown, expected: string): string {
  if (value === undefined) return `its introduction lacks "${member}"`;
  return `"${member}" of its introduction is ${cleanText(JSON.stringify(value), 80)}, and not ${expected}`;
}

/** The introduction of a server over plain HTTP that does not know `initialize`. */
export const unintroduced: JsonObject = {
  protocolVersion: '2024-11-05',
  capabilities: { tools: {}, prompts: {}, resources: {} },
  serverInfo: { name: 'plain HTTP', version: 'unknown' },
};
