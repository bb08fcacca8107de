/** Workflows, as the API takes and shows them. */
import type { Finding, Json, JsonSchema } from '@baton/language';

import type { Client } from './client.ts';
import { UnreachableError } from './problem.ts';

export interface DeployedWorkflow {
  readonly id: string;
  readonly version: number;
  readonly digest: string;
  readonly findings: readonly Finding[];
  /** False where the newest version was this very content. */
  readonly isNew: boolean;
}

export interface ShownVersion {
  readonly version?: number;
  readonly source?: string;
  readonly inputs?: JsonSchema;
}

/** YAML unless it is an object of JSON. */
const typeOf = (text: string): string => (/^\s*\{/.test(text) ? 'application/json' : 'application/yaml');

/** With everything that is wrong with it; `servers`: against what the servers offer, too. */
export async function checkWorkflowText(
  client: Client,
  text: string,
  { servers }: { readonly servers: boolean },
): Promise<readonly Finding[]> {
  const query = servers ? { servers } : {};
  const { json } = await client.call('POST', '/v1/workflows/check', { text, contentType: typeOf(text), query });
  return findingsOf(client, json);
}

/** Rejects with `ProblemError` where the workflow has errors. */
export async function deployWorkflow(client: Client, text: string): Promise<DeployedWorkflow> {
  const { status, json } = await client.call('POST', '/v1/workflows', { text, contentType: typeOf(text) });
  return { ...(json as unknown as DeployedWorkflow), findings: findingsOf(client, json), isNew: status === 201 };
}

/** The newest version, or the one that is named. */
export async function getVersion(client: Client, workflow: string, version?: number): Promise<ShownVersion> {
  const path = `/v1/workflows/${encodeURIComponent(workflow)}`;
  return (await client.get(version === undefined ? path : `${path}/versions/${version}`)) as unknown as ShownVersion;
}

function findingsOf({ url }: Client, json: Json): readonly Finding[] {
  const findings = (json as { findings?: unknown } | null)?.findings;
  if (Array.isArray(findings)) return findings as readonly Finding[];
  throw new UnreachableError(url.href, `${url.href} answered with something that holds no findings.`);
}
