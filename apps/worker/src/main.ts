/** The worker, which `workerProcess.ts` describes. Here its code is loaded, with little memory. */
import { setFlagsFromString } from 'node:v8';

// Nearly all that a start makes stays. V8 takes that for load, and would keep 30 MiB for objects that die young.
setFlagsFromString('--semi-space-growth-factor=1');
await import('./workerProcess.ts');
// V8's default.
setFlagsFromString('--semi-space-growth-factor=2');
// Where much is allocated, V8 marks all that lives each second, though it is far from the limit that it set itself: that
// takes the processors for 60 ms. Now it begins where nine tenths of the way to that limit are gone.
setFlagsFromString('--incremental-marking-hard-trigger=90');
