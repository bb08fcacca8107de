/** Loads the code of a process with little memory. An entry point of its own: it is there before all other code. */
import { setFlagsFromString } from 'node:v8';

export async function loadWithLittleMemory(load: () => Promise<unknown>): Promise<void> {
  // Nearly all that a start makes stays. V8 takes that for load, and would keep 30 MiB for objects that die young.
  setFlagsFromString('--semi-space-growth-factor=1');
  await load();
  // V8's default.
  setFlagsFromString('--semi-space-growth-factor=2');
  // Otherwise V8 marks the heap each second where much is allocated, which takes the processors for 60 ms. It begins
  // where nine tenths of the way from the size after the last collection to its limit are used.
  setFlagsFromString('--incremental-marking-hard-trigger=90');
}
