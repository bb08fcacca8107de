/**
 * The checker, on a thread of its own: typing stays smooth however large the file is. The server gives this file a
 * policy that lets ajv compile schemas, and forbids it every connection.
 */
import type { CheckOptions, TextReading } from '@baton/language/service';
import { complete, diagnose, fixes, format, graph, hover, readText } from '@baton/language/service';

import type { CheckerAnswers, CheckerCall, KnownWorld } from './checkerCalls.ts';

/** Functions do not travel between threads. */
const optionsOf = ({ effects, ...known }: KnownWorld): CheckOptions => ({
  ...known,
  effects: (server, tool) => effects?.[`${server}/${tool}`],
});

class Checker {
  #before: TextReading | undefined;
  #options = optionsOf({});

  answer({ method, text, offset = 0, known, nowMs = 0 }: CheckerCall): CheckerAnswers[keyof CheckerAnswers] {
    if (known !== undefined) this.#options = optionsOf(known);
    const options = this.#options;
    switch (method) {
      case 'graph':
        return graph(this.#read(text, options));
      case 'check': {
        const reading = this.#read(text, options);
        return { diagnostics: diagnose(reading), fixes: fixes(reading), graph: graph(reading) };
      }
      case 'complete':
        return complete(text, offset, options);
      case 'hover':
        return hover(this.#read(text, options), offset, nowMs);
      case 'format':
        return format(text);
    }
  }

  /** Reads only what changed since the text before. */
  #read(text: string, options: CheckOptions): TextReading {
    this.#before = readText(text, options, this.#before);
    return this.#before;
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
