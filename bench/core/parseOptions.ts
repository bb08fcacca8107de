/** Reads the options of a bench. */
import { parseArgs } from 'node:util';

/** As `parseArgs` of Node; a mistake ends the process with one line, and not with a stack. */
export const parseOptions: typeof parseArgs = (config) => {
  try {
    return parseArgs(config);
  } catch (error) {
    if (!(error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS')))
      throw error;
    process.stderr.write(`error: ${error.message}\nhint: the options are at the top of ${process.argv[1] ?? ''}\n`);
    process.exit(2);
  }
};
