/**
 * For Node where a process lives for seconds. Its space for young objects (MB) begins with one megabyte, and is collected
 * again and again while the process loads and starts: an eighth of the CPU of an orchestrator in a test.
 */
export const roomForYoung = ['--min-semi-space-size=16', '--max-semi-space-size=32'] as const;
