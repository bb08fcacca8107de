/** What a person can allow a client, in words. */
import type { Consent } from '@baton/api/client';

type ClientChoice = Consent['preset'];

interface ChoiceWords {
  readonly choice: ClientChoice;
  readonly title: string;
  readonly means: string;
}

/** At the gateway, the client calls the tools of the servers; elsewhere it starts workflows. */
export const choiceWords = (isGateway: boolean): readonly ChoiceWords[] => [
  {
    choice: 'read',
    title: 'Read',
    means: isGateway
      ? 'Calls tools that only read.'
      : 'Sees the workflows and runs that you see, with their values if you see those. Starts nothing.',
  },
  {
    choice: 'run',
    title: 'Run',
    means: isGateway
      ? 'Calls all tools; the policies of the servers still ask.'
      : 'Also starts, cancels and retries workflows, as they are deployed or with a text of its own.',
  },
  {
    choice: 'run-approved',
    // Outside the gateway a person approved the writes of a workflow by deploying it, and none is asked again.
    title: isGateway ? 'Run, each write approved' : 'Run what is deployed',
    means: isGateway
      ? 'Calls all tools. Each call that writes waits for your approval.'
      : 'Starts deployed workflows, which write as they were deployed. A text of its own may not write.',
  },
  {
    choice: 'build',
    title: 'Build',
    means: isGateway
      ? 'Calls all tools, and may answer questions itself.'
      : 'Also writes and deploys workflows, and answers questions.',
  },
];
