/** Reads and writes recordings. */
import { type Recording, printRecording } from '@baton/language';

import type { FilesOf } from '../workflowFiles.ts';

export const recordingFiles: FilesOf = { what: 'test', suffix: /\.test\.(ya?ml|json)$/, example: '.test.yaml' };

const head = `# A recorded run. \`baton test\` replays it with these answers, without any server, and compares the behaviour;
# \`baton test --update\` records the current behaviour. Omitted parts are not compared.
`;

export const recordingText = (recording: Recording): string => `${head}${printRecording(recording)}`;
