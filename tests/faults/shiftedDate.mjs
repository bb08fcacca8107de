/** Preloaded into a process of a test: its wall clock is ahead by as many milliseconds as BATON_TEST_AHEAD_MS says. */
const aheadMs = Number(process.env['BATON_TEST_AHEAD_MS'] ?? 0);
const rightNow = Date.now;
const wrongNow = () => rightNow() + aheadMs;

globalThis.Date = class extends Date {
  constructor(...given) {
    if (given.length === 0) super(wrongNow());
    else super(...given);
  }

  static now() {
    return wrongNow();
  }
};
