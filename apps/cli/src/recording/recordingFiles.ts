/** Reads and writes recordings. */
import type { Recording } from '@baton/language';
import { printRecording } from '@baton/language';

import type { FilesOf } from '../workflowFiles.ts';

export const recordingFiles: FilesOf = { what: 'test', suffix: /\.test\.(ya?ml|json)$/, example: '.test.yaml' };

const head = `# A recorded run. \`baton test\` does it again with these answers, without any server, and compares how it goes;
# \`baton test --update\` records the current behaviour. Omitted parts are not compared.
`;

export const recordingText = (recording: Recording): string => `${head}${printRecording(recording)}`;
