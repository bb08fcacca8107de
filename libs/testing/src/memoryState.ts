/** What workflows remember, in memory, with the rules of the real one. */
import { type StateWrite, type StoredState, stateChanged, tooLargeState } from '@baton/engine';
import { limits } from '@baton/expressions';
import { type Json, canonicalJson } from '@baton/primitives';
import { type Append, type StateOwner, type StateSource, StateRefusedError } from '@baton/runner';

interface KeptValue {
  readonly value: Json;
  readonly revision: number;
  readonly runId: string;
}

const nameOf = ({ workflow, isInline }: StateOwner): string => `${isInline} ${workflow}`;

export class MemoryState implements StateSource {
  readonly #values = new Map<string, ReadonlyMap<string, KeptValue>>();

  readonly #isCompared: boolean;

  /** `isCompared`: false in tests of tests: what another run has written is overwritten. */
  constructor({ isCompared = true }: { readonly isCompared?: boolean } = {}) {
    this.#isCompared = isCompared;
  }

  async read(owner: StateOwner): Promise<StoredState> {
    return this.valuesOf(owner);
  }

  valuesOf(owner: StateOwner): StoredState {
    return this.#values.get(nameOf(owner)) ?? new Map();
  }

  /** Writes all of an append, or nothing: the error says why. */
  write(runId: string, state: Append['state']): StateRefusedError | undefined {
    if (state === undefined) return undefined;
    const name = nameOf(state);
    const values = new Map(this.#values.get(name));
    for (const write of state.writes) {
      const failure = refusal(values, runId, this.#isCompared ? write : { ...write, unlessChanged: undefined });
      if (failure !== undefined) return new StateRefusedError(runId, write.path, failure);
      for (const [key, value] of Object.entries(write.values))
        values.set(key, { value, revision: (values.get(key)?.revision ?? 0) + 1, runId });
    }
    this.#values.set(name, values);
    return undefined;
  }
}

/** `unlessChanged`: undefined where it is not looked at. */
type ComparedWrite = Omit<StateWrite, 'unlessChanged'> & { readonly unlessChanged?: StateWrite['unlessChanged'] };

function refusal(kept: ReadonlyMap<string, KeptValue>, runId: string, { path, values, unlessChanged }: ComparedWrite) {
  for (const key of unlessChanged === undefined ? [] : Object.keys(values)) {
    const now = kept.get(key);
    if (now === undefined || now.revision === (unlessChanged?.revisions[key] ?? 0)) continue;
    if (now.runId === runId || unlessChanged?.writers.includes(now.runId)) continue;
    return stateChanged(key, `run ${now.runId}`, path);
  }
  const all = Object.fromEntries([...[...kept].map(([key, { value }]) => [key, value]), ...Object.entries(values)]);
  return Buffer.byteLength(canonicalJson(all)) > limits.state.bytes ? tooLargeState(path) : undefined;
}
