/**
 * The checker, on a thread of its own: typing stays smooth however large the file is. The server gives this file a
 * policy that lets ajv compile schemas, and forbids it every connection.
 */
import type { CheckOptions } from '@baton/language/service';
import { complete, diagnose, fixes, format, graph, hover, readText } from '@baton/language/service';

import type { CheckerAnswers, CheckerCall, KnownWorld } from './checkerCalls.ts';

/** Functions do not travel between threads. */
const optionsOf = ({ effects, ...known }: KnownWorld): CheckOptions => ({
  ...known,
  effects: (server, tool) => effects?.[`${server}/${tool}`],
});

function answer({
  method,
  text,
  offset = 0,
  known = {},
  nowMs = 0,
}: CheckerCall): CheckerAnswers[keyof CheckerAnswers] {
  const options = optionsOf(known);
  switch (method) {
    case 'graph':
      return graph(readText(text, options));
    case 'check': {
      const reading = readText(text, options);
      return { diagnostics: diagnose(reading), fixes: fixes(reading), graph: graph(reading) };
    }
    case 'complete':
      return complete(text, offset, options);
    case 'hover':
      return hover(readText(text, options), offset, nowMs);
    case 'format':
      return format(text);
  }
}

addEventListener('message', ({ data }: MessageEvent<CheckerCall>) => {
  try {
    postMessage({ id: data.id, answer: answer(data) });
  } catch (error) {
    postMessage({ id: data.id, problem: error instanceof Error ? error.message : 'The checker failed.' });
  }
});
