/** The templates of `baton init`. Each runs without a network and without keys. */
export interface Template {
  readonly name: string;
  readonly about: string;
  /** The workflow to start first. */
  readonly workflow: string;
}

export const templates: readonly [Template, ...Template[]] = [
  { name: 'hello', about: 'a first workflow: inputs, a wait, outputs', workflow: 'hello' },
  { name: 'approval', about: 'a model drafts, a person approves, a tool writes', workflow: 'publish' },
  { name: 'digest', about: 'every morning: read all notes, sum each up, write one digest', workflow: 'digest' },
];

export const findTemplate = (name: string): Template | undefined => templates.find((one) => one.name === name);
