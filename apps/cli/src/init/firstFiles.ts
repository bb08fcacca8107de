/** What a folder begins with: a workflow that runs as it is, and a server configuration to add servers to. */
import { workflowJsonSchema } from '@baton/language';

export interface FirstFile {
  readonly name: string;
  readonly text: string;
  /** What it is, in a few words. */
  readonly about: string;
  /** Any of these does its work already. */
  readonly others?: readonly string[];
}

export const firstWorkflow = 'hello';

const workflow = `# yaml-language-server: $schema=./workflow.schema.json
workflow: ${firstWorkflow}
title: Hello
description: Greets a person, after a moment.

inputs:
  name: { type: string, default: world }

steps:
  - id: moment
    wait: 2s

  - id: greeting
    set: { text: "Hello, \${{ inputs.name }}!" }

  # Call a tool, once its server is in mcp.json. \`baton servers tools SERVER\` lists what a server offers.
  # - id: notes
  #   tool: files/read_text_file
  #   with: { path: notes.md }

outputs:
  greeting: "\${{ steps.greeting.text }}"
`;

/** The shape that MCP clients use; an existing file works as it is. */
const servers = { mcpServers: {}, models: { default: 'scripted', providers: { scripted: { kind: 'scripted' } } } };

const jsonFile = (value: object): string => `${JSON.stringify(value, undefined, 2)}\n`;

export const firstFiles = (): readonly FirstFile[] => [
  { name: `${firstWorkflow}.workflow.yaml`, text: workflow, about: 'a first workflow' },
  {
    name: 'mcp.json',
    text: jsonFile(servers),
    about: 'MCP servers and models; this model is scripted, for trying out',
    others: ['.mcp.json'],
  },
  { name: 'workflow.schema.json', text: jsonFile(workflowJsonSchema()), about: 'completion and checks in editors' },
  // The data folder holds the admin key.
  { name: '.gitignore', text: '.baton/\n', about: 'keeps the data folder, and the key in it, out of Git' },
];
