/** The templates of `baton init`. Each runs without keys, and without a network unless its `mcp.json` names a package. */
export interface Template {
  readonly name: string;
  readonly about: string;
  /** The workflow to start first. */
  readonly workflow: string;
  /** The command that starts it first; absent: `baton run`. */
  readonly start?: string;
}

export const templates: readonly [Template, ...Template[]] = [
  { name: 'hello', about: 'a first workflow: inputs, a wait, outputs', workflow: 'hello' },
  { name: 'approval', about: 'a model drafts, a person approves, a tool writes', workflow: 'publish' },
  { name: 'digest', about: 'every morning: read all notes, sum each up, write one digest', workflow: 'digest' },
  { name: 'follow-notes', about: 'each hour: what is new since the run before, remembered', workflow: 'follow-notes' },
  {
    name: 'watch-folder',
    about: 'each file that is dropped into a folder starts a run',
    workflow: 'watch-folder',
    start: 'echo "Hello, Baton" > inbox/hello.txt',
  },
];

export const findTemplate = (name: string): Template | undefined => templates.find((one) => one.name === name);
