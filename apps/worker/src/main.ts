/** The worker, which `workerProcess.ts` describes. */
import './workerProcess.ts';
