/** Descriptions of the names that expressions can read (docs/expressions.md). */
export const nameMeanings: Readonly<Record<string, string>> = {
  inputs: 'What the run was given.',
  steps: 'Steps that have run before this one, by id.',
  run: 'The run itself: `id`, `workflow`, `version`, `startedAt`, `trigger`.',
  event: 'What started the run.',
  error: 'The failure: `code`, `message`, `step`.',
  index: 'The place of the item, or of the round, from 0.',
  signal: 'The payload of the signal.',
  result: 'What the call gave.',
  secrets: 'Stored secrets, by name; only in the `with` of a tool.',
};
