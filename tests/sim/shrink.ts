/** Makes a failing scenario smaller for as long as it still breaks the same promise. */
import type { Safeguard } from './safeguards.ts';
import type { Scenario } from './scenario.ts';
import { simulate } from './simulate.ts';
import type { Document } from './workflows.ts';

/** Scenarios that are tried at the most. */
const triesMax = 400;

const promiseOf = (broken: string): string => broken.slice(0, broken.indexOf(':'));

export async function shrink(scenario: Scenario, off: readonly Safeguard[] = []): Promise<Scenario> {
  const promises = async (one: Scenario): Promise<ReadonlySet<string>> => {
    // What is left of a workflow need not be one any more.
    const outcome = await simulate(one, off).catch(() => undefined);
    return new Set(outcome?.broken.map(promiseOf));
  };
  const [promise] = await promises(scenario);
  if (promise === undefined) return scenario;
  let smallest = scenario;
  let tries = 0;
  for (let isSmaller = true; isSmaller;) {
    isSmaller = false;
    for (const smaller of smallerThan(smallest)) {
      if (tries++ >= triesMax) return smallest;
      if (!(await promises(smaller)).has(promise)) continue;
      smallest = smaller;
      isSmaller = true;
      break;
    }
  }
  return smallest;
}

function* smallerThan(scenario: Scenario): Generator<Scenario> {
  const { faults, wishes, agents, rates, documents, workers } = scenario;
  for (const fewer of eachWithout(faults)) yield { ...scenario, faults: fewer };
  for (const fewer of eachWithout(wishes)) yield { ...scenario, wishes: fewer };
  for (const fewer of eachWithout(agents)) yield { ...scenario, agents: fewer };
  for (const [name, rate] of Object.entries(rates)) {
    if (rate > 0) yield { ...scenario, rates: { ...rates, [name]: 0 } };
  }
  for (const [at, document] of documents.entries()) {
    for (const smaller of smallerDocuments(document)) yield { ...scenario, documents: documents.with(at, smaller) };
  }
  if (workers > 1) yield { ...scenario, workers: workers - 1 };
}

function* smallerDocuments({ onFailure, finally: last, ...rest }: Document): Generator<Document> {
  if (onFailure !== undefined) yield { ...rest, ...(last && { finally: last }) };
  if (last !== undefined) yield { ...rest, ...(onFailure && { onFailure }) };
  const more = { ...(onFailure && { onFailure }), ...(last && { finally: last }) };
  for (const steps of eachWithout(rest.steps)) if (steps.length > 0) yield { ...rest, steps, ...more };
}

function* eachWithout<T>(list: readonly T[]): Generator<T[]> {
  for (let at = 0; at < list.length; at++) yield list.toSpliced(at, 1);
}
