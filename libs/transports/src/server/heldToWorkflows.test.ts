import type { FailureError } from '@baton/engine';
import type { Calls } from '@baton/runner';
import { callContext } from '@baton/testing';
import { expect, test } from 'vitest';

import { heldToWorkflows } from './heldToWorkflows.ts';

/** Answers each call, and counts them. */
function answering() {
  let count = 0;
  const answer = async () => {
    count += 1;
    return { result: {} };
  };
  const calls: Calls = { callTool: answer, getPrompt: answer, readResource: answer, release: () => {} };
  const allows = new Map([
    ['bank', ['payments/*']],
    ['wiki', ['session']],
  ]);
  return { calls: heldToWorkflows(calls, (server) => allows.get(server)), count: () => count };
}

const kinds = [
  ['a tool', (calls: Calls, server: string) => calls.callTool({ server, tool: 't', arguments: {} }, context())],
  ['a prompt', (calls: Calls, server: string) => calls.getPrompt({ server, prompt: 'p', arguments: {} }, context())],
  ['a resource', (calls: Calls, server: string) => calls.readResource({ server, uri: 'u', arguments: {} }, context())],
] as const;

let workflow: { id: string; isDeployed: boolean } | undefined;
const context = () => callContext(workflow === undefined ? {} : { workflow });

const deployed = (id: string) => ({ id, isDeployed: true });
const inline = (id: string) => ({ id, isDeployed: false });

test.each(kinds)('%s of a server with allow is for its workflows only, and unknown to others', async (_, call) => {
  const { calls, count } = answering();
  for (const other of [deployed('shop/orders'), deployed('payments'), inline('shop/orders'), undefined]) {
    workflow = other;
    const failure = await call(calls, 'bank').catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'server-unknown', delivery: 'unsent' });
    expect((failure as FailureError).message).toBe('No server of that name is configured: "bank".');
  }
  workflow = inline('payments/refunds');
  await expect(call(calls, 'bank')).rejects.toThrow('for deployed workflows only');
  expect(count()).toBe(0);
  workflow = deployed('payments/eu/refunds');
  await call(calls, 'bank');
  workflow = inline('session');
  await call(calls, 'wiki');
  workflow = undefined;
  await call(calls, 'open');
  expect(count()).toBe(3);
});
