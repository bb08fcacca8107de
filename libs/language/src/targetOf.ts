import type { Step } from './plan.ts';

/** What a step calls, starts or finds out, as people read it; undefined for one without such a thing. */
export function targetOf(step: Step): string | undefined {
  switch (step.verb) {
    case 'tool':
      return `${step.server}/${step.tool}`;
    case 'prompt':
      return `${step.server}/${step.prompt}`;
    case 'resource': {
      const uri = step.uri.constant?.value;
      return typeof uri === 'string' ? `${step.server} ${uri}` : step.server;
    }
    case 'workflow':
      return step.workflow;
    case 'ensure':
      return step.that.source;
    case 'sample':
    case 'ask':
    case 'wait':
    case 'set':
    case 'state':
    case 'parallel':
    case 'steps':
    case 'switch':
    case 'forEach':
    case 'repeat':
    case 'fail':
      return undefined;
  }
}
