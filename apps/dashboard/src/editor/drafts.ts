/** Stores drafts in this browser until they are deployed. */
/** The id of the draft of a new workflow. */
export const newDraft = '';

const keyOf = (id: string): string => `baton.draft.${id}`;

export function readDraft(id: string): string | undefined {
  try {
    return localStorage.getItem(keyOf(id)) ?? undefined;
  } catch {
    return undefined;
  }
}

export function keepDraft(id: string, text: string | undefined): void {
  try {
    if (text === undefined) localStorage.removeItem(keyOf(id));
    else localStorage.setItem(keyOf(id), text);
  } catch {
    // Storage may be disabled: the draft then lives as long as the page.
  }
}

export const firstText = `workflow: my-workflow
title: What it does, in a few words

inputs:
  name: { type: string, default: world }

steps:
  - id: greet
    set:
      greeting: Hello, \${{ inputs.name }}!

outputs:
  greeting: \${{ steps.greet.greeting }}
`;
