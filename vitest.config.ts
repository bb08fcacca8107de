import { availableParallelism } from 'node:os';

import { defineConfig } from 'vitest/config';
import { type TestSpecification, BaseSequencer } from 'vitest/node';

import { soonMs, testMs } from './libs/testing/src/patience.ts';
import { roomForYoung } from './libs/testing/src/roomForYoung.ts';

/** Files of more than twenty seconds: `npm test` ends with the list. */
const longFiles = [
  /tests\/page\//,
  /tests\/sim\//,
  /tests\/(?:embedded|conformanceClient|chaos\/chaos)\./,
  /\/(?:matrix|postgres|processes|redisFaults)\.int\./,
];

/** Begun last, a long file would run while the other workers have nothing to do. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId, project }: TestSpecification): number => {
      const isLong = longFiles.some((path) => path.test(moduleId));
      // Files of one project follow each other: they share a process.
      return ['page', 'alone', 'sim', 'e2e', 'int', 'unit'].indexOf(project.name) * 2 + (isLong ? 0 : 1);
    };
    const sorted = await super.sort(files);
    return sorted.toSorted((one, other) => rank(one) - rank(other));
  }
}

/**
 * Tests that only compute come after those that wait, as many at a time as there are processors: each thread loads the
 * rooms anew, and seven on two processors compute half as much again.
 */
const computing = { maxWorkers: availableParallelism(), sequence: { groupOrder: 1 } };

/** Which of the whole processes are killed and started again so often that other ones beside them starve them. */
const starved = ['tests/chaos/*.test.ts', 'tests/embedded.test.ts'];
/** `npm run chaos` alone plays it. */
const notPlayed = process.env['BATON_CHAOS_SECONDS'] === undefined ? ['tests/chaos/lostSecond.test.ts'] : [];

/**
 * V8 loses count of its pages of machine code now and then, where a process compiles WebAssembly often and the CPU has
 * protection keys ("Check failed: jit_page.has_value()", nodejs/node#64500). Each store of a test compiles some.
 */
const execArgv = ['--no-memory-protection-keys', ...roomForYoung];

/**
 * No test has a second try: one that fails now and then is mended.
 *
 * unit  beside the code, no I/O: seconds
 * int   beside the adapters: real Postgres, real Redis, real MCP servers
 * sim   the production engine and runner in virtual time, among faults
 * e2e   whole processes, from outside
 * alone those of them that many beside them would starve: beside tests that compute
 * page  the page in Debian's Chromium, against whole processes
 */
export default defineConfig({
  test: {
    reporters: ['default'],
    // Most tests wait most of the time: for processes, for servers, until a killed worker is noticed. Six files at a
    // time keep two cores busy; with more, a slow machine starves the longest ones.
    maxWorkers: 6,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          name: 'unit',
          include: [
            '{apps,editors,libs}/*/src/**/*.test.ts',
            'bench/*/*.test.ts',
            'tests/{tidy,requirements,seeds,operations,commits,sabotage}.test.ts',
          ],
          exclude: ['**/*.int.test.ts'],
          pool: 'threads',
          isolate: false,
          ...computing,
          expect: { poll: { timeout: soonMs } },
          testTimeout: testMs,
        },
      },
      {
        test: {
          name: 'int',
          include: ['{apps,libs}/*/src/**/*.int.test.ts'],
          // Files that run one after another in a process share what they import: two and a half seconds of CPU each.
          isolate: false,
          globalSetup: 'tests/globalSetup.ts',
          execArgv,
          expect: { poll: { timeout: soonMs } },
          testTimeout: testMs,
          hookTimeout: testMs,
        },
      },
      {
        test: {
          name: 'sim',
          include: ['tests/sim/**/*.test.ts'],
          pool: 'threads',
          isolate: false,
          ...computing,
          testTimeout: 2 * testMs,
        },
      },
      {
        test: {
          name: 'e2e',
          include: ['tests/**/*.test.ts'],
          exclude: [
            'tests/{tidy,requirements,seeds,operations,commits,sabotage}.test.ts',
            'tests/sim/**',
            'tests/page/**',
            ...starved,
          ],
          globalSetup: 'tests/globalSetup.ts',
          execArgv,
          isolate: false,
          expect: { poll: { timeout: soonMs } },
          testTimeout: testMs,
          hookTimeout: testMs,
        },
      },
      {
        test: {
          name: 'alone',
          include: starved,
          exclude: notPlayed,
          globalSetup: 'tests/globalSetup.ts',
          execArgv,
          ...computing,
          expect: { poll: { timeout: soonMs } },
          testTimeout: testMs,
          hookTimeout: testMs,
        },
      },
      {
        test: {
          name: 'page',
          include: ['tests/page/**/*.test.ts'],
          globalSetup: 'tests/globalSetup.ts',
          execArgv,
          expect: { poll: { timeout: soonMs } },
          testTimeout: testMs,
          hookTimeout: testMs,
        },
      },
    ],
  },
});
