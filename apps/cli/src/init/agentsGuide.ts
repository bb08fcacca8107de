/** `AGENTS.md`: what an agent that works in a folder of workflows must know. */
import { packageName } from '../version.ts';
import type { Template } from './templates.ts';

export const agentsGuide = ({ workflow }: Template): string => `# Workflows in this folder

Each \`*.workflow.yaml\` is a durable workflow of Baton: its steps call the tools of the MCP servers in \`mcp.json\`. The language is in \`workflow-language.md\`; read it before you write a workflow. \`${workflow}.workflow.yaml\` is an example.

1. Find the tools: \`npx ${packageName} servers tools SERVER --json\`, where Baton runs (\`npx ${packageName} dev\`). Use no tool that is not listed.
2. Write \`NAME.workflow.yaml\`, with \`workflow: NAME\`. Values that change from run to run are inputs. Say \`effect\` only where you know better than the server.
3. \`npx ${packageName} check --fix NAME.workflow.yaml\` until it finds nothing. Each finding names its correction.
4. \`npx ${packageName} test .\` replays the recorded runs (\`*.test.yaml\`), without calling a server.
5. \`npx ${packageName} run ./NAME.workflow.yaml --wait\` really calls the servers: ask the person before you run what writes.
6. Show the person the file. While \`npx ${packageName} dev\` runs, a saved file is deployed, and its schedules start.

A write that may have happened is not repeated unless you say so. When a run ends with \`outcome-unknown\`, find out whether the call happened before you do anything again: \`npx ${packageName} runs show RUN\`.

Over MCP (\`npx ${packageName} mcp\`) you get the same as tools: find_tools, check_workflow, try_workflow, deploy_workflow, explain_run.
`;
