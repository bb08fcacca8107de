/** A thousand runs of twenty workflows, of which three hundred failed of twelve causes: what a person on call finds. */
import type { Client } from '@baton/api/client';

interface Cause {
  readonly workflow: string;
  readonly step: string;
  /** With what differs from run to run: `#` is the number of the run. */
  readonly message: string;
  readonly runs: number;
}

export const causes: readonly Cause[] = [
  { workflow: 'charge-card', step: 'charge', message: 'Order A-#: the bank closed the connection.', runs: 80 },
  { workflow: 'charge-card', step: 'receipt', message: 'No printer "floor-#" answers.', runs: 60 },
  { workflow: 'sync-orders', step: 'sync', message: 'getaddrinfo ENOTFOUND shop-#.example', runs: 40 },
  { workflow: 'nightly-report', step: 'report', message: 'Row # has no customer.', runs: 30 },
  { workflow: 'send-invoice', step: 'send', message: 'The mailbox "m#@example.org" is full.', runs: 25 },
  { workflow: 'close-ticket', step: 'close', message: 'Ticket # is locked by another person.', runs: 20 },
  { workflow: 'rotate-keys', step: 'rotate', message: 'Key # may not be rotated before its time.', runs: 15 },
  { workflow: 'label-issues', step: 'label', message: 'Rate limit: try again in # s.', runs: 10 },
  { workflow: 'build-index', step: 'index', message: 'Disk full after # bytes.', runs: 8 },
  { workflow: 'archive-mail', step: 'archive', message: 'Message # is too large.', runs: 6 },
  { workflow: 'check-stock', step: 'check', message: 'Shelf # does not exist.', runs: 4 },
  { workflow: 'pay-salaries', step: 'pay', message: 'Account # is closed.', runs: 2 },
];

const healthy = [
  'greet-users',
  'import-prices',
  'evening-brief',
  'ping-sites',
  'prune-logs',
  'review-pulls',
  'scan-images',
  'tag-photos',
  'watch-feeds',
];

const names = [...new Set(causes.map(({ workflow }) => workflow)), ...healthy];

const runsMax = 1_000;
const startedAtOnce = 40;

const failing = ({ step, message }: Cause): string => `
      - when: inputs.fails == "${step}"
        steps: [{ id: ${step}, fail: ${JSON.stringify(message.replace('#', '${{ inputs.n }}'))} }]`;

/** `isMended`: it succeeds with every input. */
export function textOf(name: string, isMended = false): string {
  const own = isMended ? [] : causes.filter(({ workflow }) => workflow === name);
  const cases = own.length === 0 ? '' : `\n  - switch:${own.map(failing).join('')}`;
  return `workflow: ${name}
inputs: { n: { type: integer, default: 0 }, fails: { type: string, default: "" } }
steps:
  - { id: begin, set: { n: "\${{ inputs.n }}" } }${cases}
  - { id: end, set: { done: true } }
`;
}

interface Start {
  readonly workflow: string;
  readonly inputs: { readonly n: number; readonly fails: string };
}

function starts(): readonly Start[] {
  const failed = causes.flatMap(({ workflow, step, runs }) =>
    Array.from({ length: runs }, (_, n) => ({ workflow, inputs: { n, fails: step } })),
  );
  const others = Array.from({ length: runsMax - failed.length }, (_, n) => ({
    workflow: names[n % names.length] ?? '',
    inputs: { n, fails: '' },
  }));
  // Failures of all causes among those that went well, as they come in life.
  return [...failed, ...others].toSorted((one, other) => one.inputs.n - other.inputs.n);
}

/** Deploys the workflows and waits for the ends of all runs. */
export async function runMany(client: Client): Promise<void> {
  for (const name of names) await client.workflows.deploy(textOf(name));
  const left = starts().values();
  const start = async (): Promise<void> => {
    for (const { workflow, inputs } of left) await client.runs.wait((await client.runs.start(workflow, inputs)).id);
  };
  await Promise.all(Array.from({ length: startedAtOnce }, start));
}
