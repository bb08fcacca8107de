/** A workflow held against the servers that it names. What they offer comes in as an argument. */
import type { Workflow } from '../document/workflow.ts';
import type { Finding } from '../finding.ts';
import type { Problem } from '../problem.ts';
import { excerpt, quoted } from '../source/excerpt.ts';
import { didYouMean, either } from '../source/nearest.ts';
import { Document } from '../yaml/document.ts';
import type { Target } from './targets.ts';
import { targetsOf } from './targets.ts';

/** What is known of a configured server. */
export type Offer =
  | { readonly kind: 'known'; readonly tools: readonly string[]; readonly prompts: readonly string[] }
  /** It was asked and did not answer; `reason` is a sentence. */
  | { readonly kind: 'unreachable'; readonly reason: string }
  /** Nobody asked it. */
  | { readonly kind: 'unasked' };

/** `text` is what `workflow` was parsed from; `servers` are all that are configured. */
export function checkServers(
  text: string,
  workflow: Workflow,
  servers: ReadonlyMap<string, Offer>,
): readonly Finding[] {
  const assumed = new Set<string>();
  const problems = targetsOf(workflow).flatMap((target): Problem[] => {
    const offer = servers.get(target.server);
    if (offer === undefined) return [unknownServer(target, servers)];
    if (offer.kind === 'known') return missing(target, offer);
    if (offer.kind === 'unasked' || assumed.has(target.server)) return [];
    assumed.add(target.server);
    return [unchecked(target, offer.reason)];
  });
  return problems.length === 0 ? [] : new Document(text).findings(problems);
}

function unknownServer({ server, kind, name, pointer }: Target, servers: ReadonlyMap<string, Offer>): Problem {
  const names = [...servers.keys()].toSorted();
  const some = names.slice(0, 5).map((one) => excerpt(one, 40));
  return {
    code: 'unknown-server',
    pointer,
    message: `No server ${quoted(server)} is configured.`,
    expected: names.length === 0 ? 'a server in the server configuration' : `a configured server: ${either(some)}`,
    found: server,
    hint: didYouMean(server, names, (one) => (kind === 'resource' ? one : `${one}/${name}`)),
  };
}

function missing({ kind, server, name, pointer }: Target, offer: Extract<Offer, { kind: 'known' }>): Problem[] {
  if (kind === 'resource' || name === undefined) return [];
  const names = kind === 'tool' ? offer.tools : offer.prompts;
  if (names.includes(name)) return [];
  return [
    {
      code: kind === 'tool' ? 'unknown-tool' : 'unknown-prompt',
      pointer,
      message: `The server ${quoted(server)} has no ${kind} ${quoted(name)}.`,
      expected: `one of its ${names.length} ${kind}s`,
      found: name,
      hint: didYouMean(name, names, (one) => `${server}/${one}`),
    },
  ];
}

const unchecked = ({ server, pointer }: Target, reason: string): Problem => ({
  code: 'assumed',
  pointer,
  message: `The server ${quoted(server)} cannot be asked now: what is used of it is taken on trust. ${excerpt(reason, 160)}`,
});
