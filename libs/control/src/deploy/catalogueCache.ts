/** Lists of tools, prompts and resources of the configured servers, cached. */
import { type RunPerson, FailureError } from '@baton/engine';
import type { ServerOffer } from '@baton/language';
import { defined, delayText, within } from '@baton/primitives';
import { type ServersConfig, ServerPolicy, type Catalogue, type Tool } from '@baton/protocol';
import type { Clock } from '@baton/runner';
import type { Servers } from '@baton/transports';

/** How long a check or a list waits for a server. */
const patienceMs = 5_000;

/** The answer of one server. */
export interface ServerAnswer {
  readonly offer: ServerOffer;
  /** Undefined if it did not answer. */
  readonly tools: readonly Tool[] | undefined;
  readonly policy: ServerPolicy;
}

export interface Patience {
  readonly forMs?: number;
  /** Ends the waiting. */
  readonly signal?: AbortSignal;
}

/** The policy of a device. No configuration names devices, so they have no policy of their own. */
const devicePolicy = ServerPolicy.parse({});

export const policyOf = ({ servers }: ServersConfig, name: string): ServerPolicy =>
  servers.get(name)?.policy ?? devicePolicy;

export class CatalogueCache {
  readonly #config: ServersConfig;
  readonly #servers: Pick<Servers, 'catalogue' | 'names'>;
  readonly #clock: Clock;

  constructor(config: ServersConfig, servers: Pick<Servers, 'catalogue' | 'names'>, clock: Clock) {
    this.#config = config;
    this.#servers = servers;
    this.#clock = clock;
  }

  /** Every configured server and every known device. */
  get names(): readonly string[] {
    return this.#servers.names;
  }

  /** Those that exist by their `allow`. */
  namesFor(exists: (allow: readonly string[] | undefined) => boolean): readonly string[] {
    return this.names.filter((name) => exists(this.#allowOf(name)));
  }

  /** Patterns of the workflows that the server exists for; undefined: all. */
  #allowOf(name: string): readonly string[] | undefined {
    return policyOf(this.#config, name).allow;
  }

  /** Asks all servers at the same time; skips names that are not configured. `why`: words a failure for the reader. */
  async ask(
    names: ReadonlySet<string>,
    why: (failure: FailureError) => string,
    patience?: Patience,
    person?: RunPerson,
  ): Promise<ReadonlyMap<string, ServerAnswer>> {
    const known = this.#servers.names.filter((name) => names.has(name));
    const asked = known.map(async (name): Promise<[string, ServerAnswer]> => {
      const catalogue = await this.catalogue(name, patience, person);
      return [name, { ...offered(catalogue, why), policy: policyOf(this.#config, name) }];
    });
    return new Map(await Promise.all(asked));
  }

  /**
   * Resolves to what the server offers, or to the reason why it did not answer in time. `person`: whose login shows it,
   * where people have their own.
   */
  async catalogue(
    name: string,
    { forMs = patienceMs, signal }: Patience = {},
    person?: RunPerson,
  ): Promise<Catalogue | FailureError> {
    const onLate = () => new FailureError('timeout', `It did not answer within ${delayText(forMs)}.`);
    const more = { clock: this.#clock, onLate, ...defined({ signal }) };
    try {
      return await within(this.#servers.catalogue(name, undefined, person), forMs, more);
    } catch (error) {
      if (error instanceof FailureError) return error;
      if (signal?.aborted === true) return new FailureError('cancelled', 'The client stopped waiting for it.');
      throw error;
    }
  }
}

function offered(
  catalogue: Catalogue | FailureError,
  why: (failure: FailureError) => string,
): Pick<ServerAnswer, 'offer' | 'tools'> {
  if (catalogue instanceof FailureError)
    return { offer: { kind: 'unreachable', reason: why(catalogue) }, tools: undefined };
  const { tools, prompts, events, leftOut } = catalogue;
  const resources = catalogue.resources.map(({ uri }) => uri);
  const resourceTemplates = catalogue.resourceTemplates.map(({ uriTemplate }) => uriTemplate);
  return { offer: { kind: 'known', tools, prompts, events, resources, resourceTemplates, leftOut }, tools };
}
