/** Writes the inputs and outputs of the deployed workflows as TypeScript, for `batonflow/client`. */
import type { Client } from '@baton/api/client';
import { typescriptOf } from '@baton/expressions';
import { type OutputSchema, type ServerOffer, checkWorkflow, outputSchemaOf } from '@baton/language';
import type { JsonObject } from '@baton/primitives';

import { packageName } from '../version.ts';

/** `servers`: the known output schemas of tools. Rejects as every call of the client does. */
export async function workflowTypes(
  client: Client,
  servers: ReadonlyMap<string, ServerOffer> | undefined,
): Promise<{ readonly text: string; readonly count: number }> {
  const members: string[] = [];
  for await (const { id } of client.workflows.all()) {
    const { source, inputs } = await client.workflows.get(id);
    const { workflow } = checkWorkflow(source);
    const outputs = workflow && outputSchemaOf(workflow, servers === undefined ? {} : { servers });
    members.push(memberOf(id, inputs as JsonObject, outputs));
  }
  const module = `'${packageName}/client'`;
  const text = `/** Made by \`baton types\`: run it again after a deployment. */
import ${module};

declare module ${module} {
  interface Workflows {
${members.toSorted().join('')}  }
}
`;
  return { text, count: members.length };
}

function memberOf(id: string, inputs: JsonObject, outputs: OutputSchema | undefined): string {
  const given = typescriptOf({ ...inputs, type: 'object' }, '      ');
  const back = outputs === undefined ? 'unknown' : typescriptOf(outputs, '      ');
  return `    ${JSON.stringify(id)}: {\n      readonly inputs: ${given};\n      readonly outputs: ${back};\n    };\n`;
}
