/**
 * Which deployed workflows rely on tools that have changed since they were checked, as far as this process knows: for
 * lists, which ask no server.
 */
import { FailureError } from '@baton/engine';
import { splitTarget } from '@baton/language';
import type { ServersConfig } from '@baton/protocol';
import type { Clock } from '@baton/runner';
import type { DeployedPinsReader } from '@baton/store';
import { type Servers, checkPins } from '@baton/transports';

import { maySee } from '../keys/keyAccess.ts';
import type { Principal } from '../keys/scopes.ts';

export interface DriftOverviewOptions {
  readonly deployedPins: DeployedPinsReader;
  readonly config: ServersConfig;
  readonly servers: Pick<Servers, 'listed'>;
  readonly clock: Pick<Clock, 'monotonic'>;
}

export interface WorkflowDrift {
  readonly workflow: string;
  readonly version: number;
  /** Those whose tools have changed. */
  readonly servers: readonly string[];
  /** Those among them whose changes let no new run begin. */
  readonly blockedBy: readonly string[];
}

/** Lists that are read one after the other share one look. */
const freshMs = 1_000;

export class DriftOverview {
  readonly #options: DriftOverviewOptions;
  #looked: { readonly at: number; readonly drifts: Promise<readonly WorkflowDrift[]> } | undefined;

  constructor(options: DriftOverviewOptions) {
    this.#options = options;
  }

  /** Of the workflows that the key may see. `isFresh`: look now. Rejects with `UnavailableError`. */
  async of(principal: Principal, { isFresh = false } = {}): Promise<readonly WorkflowDrift[]> {
    const now = this.#options.clock.monotonic();
    if (isFresh || this.#looked === undefined || now >= this.#looked.at + freshMs)
      this.#looked = { at: now, drifts: this.#look() };
    const drifts = await this.#looked.drifts;
    return drifts.filter(({ workflow }) => maySee(principal, workflow));
  }

  async #look(): Promise<readonly WorkflowDrift[]> {
    const { deployedPins, config } = this.#options;
    const drifts: WorkflowDrift[] = [];
    for (const { workflow, version, pins } of await deployedPins()) {
      const { blocking, warnings } = await checkPins(pins, this.#known, config);
      const blockedBy = serversOf(blocking);
      const servers = [...new Set([...blockedBy, ...serversOf(warnings)])];
      if (servers.length > 0) drifts.push({ workflow, version, servers, blockedBy });
    }
    return drifts;
  }

  readonly #known = {
    catalogue: async (server: string) => {
      const tools = this.#options.servers.listed(server);
      if (tools !== undefined) return { tools };
      throw new FailureError('server-unreachable', `The tools of ${server} were not read yet.`);
    },
  };
}

const serversOf = (drifts: readonly { readonly tool: string }[]): string[] => [
  ...new Set(drifts.map(({ tool }) => splitTarget(tool)[0])),
];
