/**
 * The checker in a worker thread: typing stays smooth with large files. The server sends this file with a policy that
 * lets ajv compile schemas, and forbids all connections.
 */
import { type WorkflowGraph, complete, diagnose, fixes, format, graph, hover, readText } from '@baton/editor-service';
import { type CheckOptions, DocumentReader, splitTarget } from '@baton/language';

import type { CheckerAnswers, CheckerCall, KnownWorld } from './checkerCalls.ts';

/** Functions do not travel between threads. */
const optionsOf = ({ effects, declarations, ...known }: KnownWorld): CheckOptions => ({
  ...known,
  nowMs: Date.now(),
  ...(effects && { effects: (server, tool) => effects[`${server}/${tool}`] }),
  ...(declarations && { declarations: (server, tool) => declarations[`${server}/${tool}`] }),
});

/** Without effects that are only the default where nothing is known of the tool: its server may say otherwise. */
function withKnownEffects(drawn: WorkflowGraph, { servers, effects }: CheckOptions): WorkflowGraph {
  const isKnown = (target: string): boolean =>
    servers === undefined
      ? effects !== undefined
      : (servers.get(splitTarget(target)[0])?.kind ?? 'unasked') !== 'unasked';
  const nodes = drawn.nodes.map((node) => {
    const { effect, ...rest } = node;
    return effect?.from === 'default' && !isKnown(node.label) ? rest : node;
  });
  return { ...drawn, nodes };
}

class CheckerWorker {
  /** Parses only the changes since the previous text. */
  readonly #reader = new DocumentReader();
  readonly #completionReader = new DocumentReader();
  #options = optionsOf({});

  answer({ method, text, offset = 0, known, nowMs = 0 }: CheckerCall): CheckerAnswers[keyof CheckerAnswers] {
    if (known !== undefined) this.#options = optionsOf(known);
    const options = this.#options;
    switch (method) {
      case 'graph':
        return withKnownEffects(graph(readText(text, options, this.#reader)), options);
      case 'check': {
        const reading = readText(text, options, this.#reader);
        return {
          diagnostics: diagnose(reading),
          fixes: fixes(reading),
          graph: withKnownEffects(graph(reading), options),
        };
      }
      case 'complete':
        return complete(text, offset, options, this.#completionReader);
      case 'hover':
        return hover(readText(text, options, this.#reader), offset, nowMs);
      case 'format':
        return format(text);
    }
  }
}

const checker = new CheckerWorker();

addEventListener('message', ({ data }: MessageEvent<CheckerCall>) => {
  try {
    postMessage({ id: data.id, answer: checker.answer(data) });
  } catch (error) {
    postMessage({ id: data.id, problem: error instanceof Error ? error.message : 'The checker failed.' });
  }
});
