/**
 * The checker in a worker thread: typing stays smooth with large files. The server sends this file with a policy that
 * lets ajv compile schemas, and forbids all connections.
 */
import type { CheckOptions } from '@baton/language/service';
import { complete, diagnose, DocumentReader, fixes, format, graph, hover, readText } from '@baton/language/service';

import type { CheckerAnswers, CheckerCall, KnownWorld } from './checkerCalls.ts';

/** Functions do not travel between threads. */
const optionsOf = ({ effects, ...known }: KnownWorld): CheckOptions => ({
  ...known,
  effects: (server, tool) => effects?.[`${server}/${tool}`],
});

class Checker {
  /** Parses only the changes since the previous text. */
  readonly #reader = new DocumentReader();
  readonly #completionReader = new DocumentReader();
  #options = optionsOf({});

  answer({ method, text, offset = 0, known, nowMs = 0 }: CheckerCall): CheckerAnswers[keyof CheckerAnswers] {
    if (known !== undefined) this.#options = optionsOf(known);
    const options = this.#options;
    switch (method) {
      case 'graph':
        return graph(readText(text, options, this.#reader));
      case 'check': {
        const reading = readText(text, options, this.#reader);
        return { diagnostics: diagnose(reading), fixes: fixes(reading), graph: graph(reading) };
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

const checker = new Checker();

addEventListener('message', ({ data }: MessageEvent<CheckerCall>) => {
  try {
    postMessage({ id: data.id, answer: checker.answer(data) });
  } catch (error) {
    postMessage({ id: data.id, problem: error instanceof Error ? error.message : 'The checker failed.' });
  }
});
