import type { Paint } from '../output/output.ts';
/** What befalls the processes of the stack while it is up, and how it is told to whoever sits in front of it. */
import { oneLine } from '../output/text.ts';
import { durationText } from '../output/time.ts';
import type { AppName } from './becomeApp.ts';

export type StackEvent =
  /** `how`: the signal, or the exit code in words; `why`: what it told itself, if anything. */
  | { readonly kind: 'died'; name: AppName; how: string; why: string | undefined; afterMs: number }
  | { readonly kind: 'back'; name: AppName; address: string }
  /** It is not started again. `said`: its last lines. */
  | { readonly kind: 'down'; what: string; said: string };

const meanwhile: Readonly<Record<AppName, string>> = {
  orchestrator: 'Until then the API does not answer; runs go on.',
  worker: 'Its runs go on then, from what is written down.',
};

const addressOf: Readonly<Record<AppName, string>> = { orchestrator: 'at', worker: 'and has its metrics at' };

export function newsLines(news: StackEvent, paint: Paint): readonly string[] {
  switch (news.kind) {
    case 'died': {
      const { name, how, why, afterMs } = news;
      const again = `is started again in ${durationText(afterMs)}`;
      return [
        `${paint.yellow('!')} The ${name} ended (${how}) and ${again}. ${meanwhile[name]}`,
        paint.dim(`  ${why === undefined ? whereToLook(how) : `It said: ${oneLine(why)}`}`),
      ];
    }
    case 'back': {
      const { name, address } = news;
      return [`${paint.green('✓')} The ${name} is up again, ${addressOf[name]} ${paint.cyan(address)}`];
    }
    case 'down': {
      const { what, said } = news;
      const lines = said.split('\n').map((line) => paint.dim(`  ${oneLine(line)}`));
      return [
        `${paint.red('✗')} ${what} ended by itself, so everything ends. Start it again: nothing that was begun is lost.`,
        `  It said last:`,
        ...lines,
      ];
    }
  }
}

function whereToLook(how: string): string {
  switch (how) {
    case 'SIGKILL':
      return 'Somebody killed it, or the system did: where memory ran out, `dmesg` says so.';
    case 'SIGTERM':
    case 'SIGINT':
    case 'SIGHUP':
    case 'exit code 0':
      return 'It was asked to end: not by Baton, but by somebody on this machine.';
    default:
      return 'Its log, above, may say why; with LOG_LEVEL=info it says more.';
  }
}
