/**
 * Ends a process so that it does end. Node's `process.exit` waits for the threads on which V8 compiles. A thread that
 * needs memory waits for the main thread to collect garbage, which it no longer does: both wait for ever
 * (nodejs/node#54918, seen with Node 24.21).
 */
import { setFlagsFromString } from 'node:v8';

const compilers = ['sparkplug', 'maglev', 'turbofan'];
/** Most functions are compiled in less than 1 ms, but the threads may have to wait for a processor. */
const compilingMs = 100;

/**
 * V8 begins to compile nothing from now on. Called when a process begins to stop, so that it can end without delay.
 * Returns the time, as `performance.now` gives it.
 */
export function stopCompiling(): number {
  for (const compiler of compilers) setFlagsFromString(`--no-${compiler}`);
  return performance.now();
}

/**
 * Ends this process at once, or when V8 has had the time to finish what it was compiling. `stoppedAt`: what
 * `stopCompiling` returned, if it was called.
 */
export function endProcess(exitCode: number, stoppedAt = stopCompiling()): never {
  // In each round of this loop the main thread collects garbage if another thread asks for it.
  while (performance.now() < stoppedAt + compilingMs);
  return process.exit(exitCode);
}
