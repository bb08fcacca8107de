/**
 * The id of a client's session before 2026-07-28 contains the parameters of `initialize`, so any orchestrator can serve
 * the session, also before its first call. A client that changes its id only changes these claims about itself.
 */
import { randomUUID } from 'node:crypto';

import { limits } from '@baton/expressions';
import { type InitializeRequestParams, isSpecType } from '@modelcontextprotocol/server';

const nameMax = limits.session.nameCharacters;
/** Ids travel in a header. */
const idMax = 4_000;

/** `<random>.<parameters>`; only the random part if the id would be too long for a header. */
export function newSessionId({ protocolVersion, capabilities, clientInfo }: InitializeRequestParams): string {
  const { elicitation, sampling, roots } = capabilities;
  const said: InitializeRequestParams = {
    protocolVersion,
    // JSON omits undefined members.
    capabilities: { elicitation, sampling, roots },
    clientInfo: { name: clientInfo.name.slice(0, nameMax), version: clientInfo.version.slice(0, nameMax) },
  };
  const random = randomUUID();
  const id = `${random}.${Buffer.from(JSON.stringify(said)).toString('base64url')}`;
  return id.length > idMax ? random : id;
}

/** The name of the session in its run. */
export const sessionNameOf = (id: string): string => id.split('.', 1)[0] ?? '';

/** Undefined if the id contains nothing, or no parameters of `initialize`. */
export function paramsIn(id: string): InitializeRequestParams | undefined {
  const [, text] = /^[\da-f-]{36}\.([\w-]+)$/.exec(id.slice(0, idMax)) ?? [];
  if (text === undefined) return undefined;
  try {
    const params: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    return isSpecType.InitializeRequestParams(params) ? (params as InitializeRequestParams) : undefined;
  } catch {
    return undefined;
  }
}
