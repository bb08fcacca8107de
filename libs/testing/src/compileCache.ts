/**
 * For `NODE_COMPILE_CACHE` of processes that get an environment of their own: the folder that the global set-up gave all
 * processes of the tests, beside the bundled apps, with which it goes.
 */
export const compileCache = process.env['NODE_COMPILE_CACHE'] ?? '';
