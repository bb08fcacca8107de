/** Asks the client of a gateway call a question, and asks again while the answers do not fit the form. */
import type { AskedQuestion } from '@baton/control';
import type { ServerContext } from '@modelcontextprotocol/server';

import { requestFor } from './clientSampling.ts';
import type { PlacedCall } from './gatewayCalls.ts';

/** How often a client is asked one question. */
export const triesMax = 3;

interface Refusal {
  /** How many answers were refused. */
  readonly tries: number;
  /** What is wrong with the last answer. */
  readonly why: string;
}

/** The `requestState` identifies the question and the call, and counts refused answers. */
export function questionRequest(question: AskedQuestion, { path }: PlacedCall, refusal?: Refusal) {
  const { message } = question.question;
  const told = refusal === undefined ? message : `${message} (${refusal.why})`;
  const request = requestFor({ ...question, question: { ...question.question, message: told } });
  const requestState = `${question.id} ${refusal?.tries ?? 0} ${path}`;
  return { kind: 'asking' as const, question, questionRequest: { ...request, requestState } };
}

export function readState(state: string): { readonly id: string; readonly tries: number; readonly path: string } {
  const [, id = '', tries = '', path = ''] = /^(\S+) (\d+) (.*)$/s.exec(state) ?? [];
  return { id, tries: Number(tries), path };
}

/** How many answers to the question were refused, counting the one in the request. */
export function refusedTries({ mcpReq }: ServerContext, question: AskedQuestion): number {
  const { id, tries } = readState(mcpReq.requestState<string>() ?? '');
  return id === question.id ? tries + 1 : 1;
}
