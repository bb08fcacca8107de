/** The orchestrator, which `orchestratorProcess.ts` describes. */
import './orchestratorProcess.ts';
