/** The example of the language page in whole processes: its servers, its model, and the person whom it asks. */
import { readFileSync } from 'node:fs';

import { type LedgerEntry, nightlyServer, readLedger, soon } from '@baton/testing';

import { type Run, Installation } from './installation.ts';

export const example = readFileSync(
  new URL('../libs/language/fixtures/nightly-report.workflow.yaml', import.meta.url),
  'utf8',
);

export class Nightly {
  readonly baton: Installation;
  readonly #ledger: string;

  private constructor(baton: Installation, ledger: string) {
    this.baton = baton;
    this.#ledger = ledger;
  }

  /**
   * Deploys `text`. At each of the organisations `troubled` much is found; their names are in the addresses that the scanner
   * found something at. `limits`: what `mcp.json` says of every server.
   */
  static async start(text: string, ledger: string, troubled: readonly string[], limits: object = {}): Promise<Nightly> {
    const names = ['github', 'scanner', 'playbook', 'jira', 'chat', 'wiki'];
    const servers = Object.fromEntries(names.map((name) => [name, { ...nightlyServer(ledger), ...limits }]));
    const modelRules = [
      ...troubled.map((org) => ({
        match: `/${org}/`,
        json: { worst: 'critical', summary: `Much was found at ${org}.` },
      })),
      { json: { worst: 'low', summary: 'Little was found.' } },
    ];
    const baton = await Installation.start({ servers, modelRules, workers: 1 });
    await baton.api('PUT', '/v1/secrets/CI_HOOK', { value: 'whsec_b25seSBmb3IgdGhpcyB0ZXN0' });
    await baton.deploy(text);
    return new Nightly(baton, ledger);
  }

  start(org: string): Promise<string> {
    return this.baton.start('nightly-report', { org });
  }

  /** Calls since the ledger had `before` lines. */
  since(before: number): LedgerEntry[] {
    return readLedger(this.#ledger).slice(before);
  }

  async called(tool: string, before: number): Promise<void> {
    await soon(() => {
      if (!toolsIn(this.since(before)).includes(tool)) throw new Error(`${tool} is not called`);
    });
  }

  async questionOf(runId: string): Promise<string> {
    return soon(async () => {
      const { body } = await this.baton.api('GET', '/v1/questions?workflow=nightly-report');
      const question = (body['data'] as { id: string; runId: string }[]).find((one) => one.runId === runId);
      if (question === undefined) throw new Error('it asks nothing');
      return question.id;
    });
  }

  async answer(runId: string, approve: boolean): Promise<void> {
    const answer = { approve, priority: 'P1' };
    const { status } = await this.baton.api('POST', `/v1/questions/${await this.questionOf(runId)}/answer`, { answer });
    if (status !== 200) throw new Error(`the answer was answered with ${status}`);
  }

  async answered(runId: string, approve: boolean): Promise<Run> {
    await this.answer(runId, approve);
    return this.baton.ended(runId);
  }
}

export const statusOf = ({ steps }: Run, path: string): string | undefined =>
  steps.find((one) => one.path === path)?.status;

/** Calls by their tools. */
export const toolsIn = (entries: readonly LedgerEntry[]): (string | undefined)[] => entries.map(({ call }) => call);
