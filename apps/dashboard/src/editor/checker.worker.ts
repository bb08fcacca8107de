/**
 * The checker, on a thread of its own: typing stays smooth however large the file is. The server gives this file a
 * policy that lets ajv compile schemas, and forbids it every connection.
 */
import { complete, diagnose, graph, hover, readText } from '@baton/language/service';

import type { CheckerAnswers, CheckerCall } from './checkerCalls.ts';

function answer({
  method,
  text,
  offset = 0,
  known = {},
  nowMs = 0,
}: CheckerCall): CheckerAnswers[keyof CheckerAnswers] {
  switch (method) {
    case 'graph':
      return graph(readText(text, known));
    case 'check': {
      const reading = readText(text, known);
      return { diagnostics: diagnose(reading), graph: graph(reading) };
    }
    case 'complete':
      return complete(text, offset, known);
    case 'hover':
      return hover(readText(text, known), offset, nowMs);
  }
}

addEventListener('message', ({ data }: MessageEvent<CheckerCall>) => {
  try {
    postMessage({ id: data.id, answer: answer(data) });
  } catch (error) {
    postMessage({ id: data.id, problem: error instanceof Error ? error.message : 'The checker failed.' });
  }
});
