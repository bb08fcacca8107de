/** Workflows for `mcpFace.test.ts`: what clients of `/mcp` find as tools. */
export const workflows = [
  `workflow: greet
title: Greet
on: [{ tool: {} }]
inputs: { name: { type: string } }
steps:
  - { id: said, tool: work/echo, with: { message: "Hello \${{ inputs.name }}" } }
outputs: { greeting: "\${{ steps.said.text }}" }
`,
  `workflow: approve
on: [{ tool: {} }]
steps:
  - id: ok
    ask: Go on?
    form: { yes: { type: boolean } }
  - { id: done, if: steps.ok.output.yes, tool: work/write }
outputs: { yes: "\${{ steps.ok.output.yes }}" }
`,
  `workflow: agree
on: [{ tool: {} }]
steps:
  - { id: it, tool: every/trigger-url-elicitation, with: { url: https://example.com/agree, message: Agree there. } }
outputs: { said: "\${{ json(steps.it.content) }}" }
`,
  'workflow: slow\non: [{ tool: {} }]\nsteps:\n  - { tool: work/slow, with: { ms: 60000 } }\n',
  `workflow: rates
on: [{ tool: {} }]
steps:
  - id: free
    sample: { append: "Name a city.", via: caller }
  - id: rated
    sample:
      append: "Rate \${{ steps.free.text }}."
      via: caller
      output: { score: { type: integer } }
outputs: { city: "\${{ steps.free.text }}", score: "\${{ steps.rated.output.score }}" }
`,
  'workflow: wolf\non: [{ tool: { name: cry_wolf } }]\nsteps:\n  - { tool: work/echo, with: { message: hi } }\n',
  'workflow: hidden\nsteps:\n  - { tool: work/echo, with: { message: hi } }\n',
  // Calls itself, through its own MCP face.
  'workflow: loop\non: [{ tool: {} }]\nsteps:\n  - { tool: self/run_workflow, with: { workflow: loop }, timeout: 5m }\n',
];
