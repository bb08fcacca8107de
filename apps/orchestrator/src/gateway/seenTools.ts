/**
 * Which tools a session has seen, by their digests: a call of a tool that is another by now is turned away until its client
 * has looked at it again. It is what pins are for workflows, and follows the same policy of the server.
 */
import { ProblemError } from '@baton/api';
import type { ServerPolicy } from '@baton/protocol';

import type { GatewayVisit } from './gatewaySession.ts';
import { offeredName } from './names.ts';
import type { OfferedTool } from './serverOffers.ts';

const keptMax = 10_000;

/** Its words as well as its schemas: a model goes by both. */
const digestOf = ({ digests: { contract, text } }: OfferedTool['tool']): string => `${contract} ${text}`;

export class SeenTools {
  /** By key and session: digests by the names of tools. */
  readonly #sessions = new Map<string, Map<string, string>>();

  /** The client is being shown these. */
  note(visit: GatewayVisit, tools: readonly OfferedTool[]): void {
    const seen = this.#of(visit);
    for (const { server, tool } of tools) seen.set(offeredName(server, tool.name), digestOf(tool));
  }

  /** Throws `ProblemError`. */
  check(visit: GatewayVisit, { server, tool }: OfferedTool, { tools: policy }: ServerPolicy): void {
    const seen = this.#of(visit);
    const name = offeredName(server, tool.name);
    const before = seen.get(name);
    const now = digestOf(tool);
    if (before === undefined || policy !== 'block') seen.set(name, now);
    else if (before !== now) {
      throw new ProblemError(
        'conflict',
        `The tool ${name} is not the one that this session saw: its definition has changed. Nothing was called. ` +
          'List the tools again, look at it, and call it as it is now.',
      );
    }
  }

  #of({ principal, session }: GatewayVisit): Map<string, string> {
    const id = `${principal.id} ${session}`;
    const seen = this.#sessions.get(id) ?? new Map<string, string>();
    this.#sessions.delete(id);
    this.#sessions.set(id, seen);
    const [oldest] = this.#sessions.keys();
    if (this.#sessions.size > keptMax && oldest !== undefined) this.#sessions.delete(oldest);
    return seen;
  }
}
