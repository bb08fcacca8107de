/** Drafts are kept in this browser until they are deployed. */
/** Of a workflow that is not deployed yet. */
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
    // A browser that keeps nothing: the text is there for as long as the page is.
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
