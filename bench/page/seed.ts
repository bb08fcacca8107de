/** Workflows and runs that the pictures and the figures are made of. */
import { readFile } from 'node:fs/promises';

import type { Product } from './product.ts';

export const manyItems = `
workflow: many-items
title: Settle many invoices
inputs: { count: { type: integer, default: 40 } }
steps:
  - id: invoices
    title: Settle each invoice
    forEach: \${{ range(inputs.count) }}
    as: n
    maxParallel: 20
    onItemError: collect
    steps:
      - { id: read, set: { amount: "\${{ n }}" } }
      - { id: settle, set: { done: true } }
  - id: report
    set: { count: "\${{ steps.invoices.count }}" }
`;

export const order = `
workflow: fulfil-order
title: Charge, ship, and take it back when shipping fails
inputs:
  order: { type: string, default: A-1041 }
  amount: { type: number, default: 42 }
steps:
  - id: reserve
    title: Reserve the stock
    tool: memory/create_entities
    with:
      entities:
        - { name: "order-\${{ inputs.order }}", entityType: order, observations: [reserved] }
    undo:
      - tool: memory/delete_entities
        with: { entityNames: ["order-\${{ inputs.order }}"] }
  - id: charge
    title: Charge the card
    tool: everything/get-sum
    effect: write
    with: { a: "\${{ inputs.amount }}", b: 0 }
  - id: prepare
    parallel:
      - id: label
        title: Print the label
        tool: everything/echo
        with: { message: "Label for \${{ inputs.order }}" }
      - id: mail
        title: Tell the customer
        tool: everything/trigger-long-running-operation
        with: { duration: 3, steps: 6 }
  - id: pause
    title: Wait for the courier
    wait: 2s
  - id: ship
    title: Hand it over
    fail: The courier refused the parcel, for the address has no house number.
`;

/** Its second call is not answered in time, and may have happened. */
const doubtful = `
workflow: book-flight
title: Book a seat, and tell the traveller
inputs: { seat: { type: string, default: 12C } }
steps:
  - { id: find, title: Find the seat, tool: everything/echo, effect: read, with: { message: "Seat \${{ inputs.seat }}" } }
  - id: book
    title: Book the seat
    tool: everything/trigger-long-running-operation
    effect: write
    timeout: 1s
    with: { duration: 3, steps: 1 }
`;

/** Asks a model, and remembers something between its runs. */
const sorted = `
workflow: sort-mail
title: Sort a letter into a drawer
on:
  - { schedule: "0 7 * * 1-5", timezone: Europe/Berlin }
  - { webhook: letter, secret: LETTERS }
state: { count: { type: integer, default: 0 } }
inputs: { text: { type: string, default: The heating is broken. } }
steps:
  - id: drawer
    title: Choose a drawer
    sample: { append: "Which drawer is for this letter? \${{ inputs.text }}" }
  - id: remember
    state: { count: "\${{ state.count + 1 }}" }
`;

const examples = ['morning-brief', 'publish-with-approval', 'nightly-check', 'support-routing'];

export async function deployExamples({ client }: Product): Promise<void> {
  const texts = await Promise.all(
    examples.map((name) => readFile(new URL(`../../examples/${name}.workflow.yaml`, import.meta.url), 'utf8')),
  );
  await client.secrets.set('LETTERS', `whsec_${Buffer.alloc(24, 7).toString('base64')}`);
  for (const text of [...texts, manyItems, order, doubtful, sorted]) await client.workflows.deploy(text.trimStart());
}
