/**
 * How long tests wait, in ms. A limit ends a test that would wait for ever, and asserts nothing: on a machine that others
 * load, processes take twenty times as long. `npm run sabotage`, whose tests are to fail, waits less.
 */
const factor = Number(process.env['BATON_TEST_PATIENCE'] ?? 6);

/** For what must come: see `soon`, and `expect.poll`. */
export const soonMs = 20_000 * factor;
export const testMs = 90_000 * factor;
