/** What each finding of an import means. It has no other imports, so that `baton explain` loads no parser. */
interface ImportFindingSpec {
  readonly severity: 'error' | 'warning';
  readonly means: string;
  /** What the author may do, not as a sentence. */
  readonly hint: string;
}

export const importFindings = {
  'expression-not-imported': {
    severity: 'error',
    means: 'An expression has no counterpart. It became `notImported("…")`, which fails the check.',
    hint: 'write the expression in CEL, in place of `notImported("…")`',
  },
  'tool-needed': {
    severity: 'warning',
    means: 'A step calls a tool that a server must have under this name.',
    hint: 'add such a server with `baton add`, or name another tool in the step',
  },
  'host-needed': {
    severity: 'warning',
    means:
      'A step makes an HTTP request with the built-in server `http`, which calls only the hosts that mcp.json lists.',
    hint: 'list the host in mcp.json: `"http": { "type": "builtin", "baton": { "hosts": ["api.example.com"] } }`',
  },
  'left-out': {
    severity: 'warning',
    means: 'A part of the file has no place in a workflow of Baton. It is not in the imported one.',
    hint: 'look whether the workflow needs it, and do it in another way if it does',
  },
  differs: {
    severity: 'warning',
    means: 'The imported part does not behave quite as it did.',
    hint: 'read what the finding says of the difference, and change the step if it matters',
  },
  'input-in-command': {
    severity: 'warning',
    means:
      'A command has a value from outside in its text. Who writes that value, such as the title of an issue, writes the command.',
    hint: 'give the value in `env`, and name the variable in the command',
  },
} as const satisfies Readonly<Record<string, ImportFindingSpec>>;

export type ImportFindingCode = keyof typeof importFindings;
