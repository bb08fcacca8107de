/**
 * Remembers which tool definitions a session has seen. If a tool has changed since, the gateway refuses its call until
 * the client lists the tools again. It is the pin of sessions, and follows the same server policy.
 */
import { ProblemError } from '@baton/api';
import { NewestMap } from '@baton/primitives';
import { type ServerPolicy, isBlocking } from '@baton/protocol';

import type { OfferedTool } from '../tools/serverOffers.ts';
import type { GatewayRequest } from './gatewaySession.ts';

const keptMax = 10_000;

/** The digest covers texts as well as schemas, because a model reads both. */
const digestOf = ({ digests: { contract, text } }: OfferedTool['tool']): string => `${contract} ${text}`;

export class SeenTools {
  /** By key and session: the digests, by tool name. */
  readonly #sessions = new NewestMap<string, Map<string, string>>(keptMax);

  /** Notes that the client is shown these tools. */
  note(request: GatewayRequest, tools: readonly OfferedTool[]): void {
    const seen = this.#of(request);
    for (const { name, tool } of tools) seen.set(name, digestOf(tool));
  }

  /** Throws `ProblemError`. */
  check(request: GatewayRequest, { name, tool }: OfferedTool, { tools: policy }: ServerPolicy): void {
    const seen = this.#of(request);
    const before = seen.get(name);
    const now = digestOf(tool);
    if (before === undefined || !isBlocking(policy)) seen.set(name, now);
    else if (before !== now) {
      throw new ProblemError(
        'conflict',
        `The tool ${name} is not the one that this session saw: its definition has changed. Nothing was called. ` +
          'List the tools again, look at it, and call it as it is now.',
      );
    }
  }

  #of({ principal, session }: GatewayRequest): Map<string, string> {
    const id = `${principal.id} ${session}`;
    const seen = this.#sessions.get(id) ?? new Map<string, string>();
    this.#sessions.set(id, seen);
    return seen;
  }
}
