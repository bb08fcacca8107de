/** Process events of `baton dev` and their messages. */
import { durationText } from '@baton/primitives';

import type { Paint } from '../output/output.ts';
import { oneLine } from '../output/text.ts';
import type { AppName } from './becomeApp.ts';

export type StackEvent =
  /** `how`: the signal, or the exit code in words; `why`: what the process reported, if anything. */
  | { readonly kind: 'died'; name: AppName; how: string; why: string | undefined; afterMs: number }
  | { readonly kind: 'back'; name: AppName; address: string }
  /** The process is not restarted. `said`: its last log lines. */
  | { readonly kind: 'down'; what: string; how: string; said: string };

const meanwhile: Readonly<Record<AppName, string>> = {
  orchestrator: 'Until then the API does not answer; runs continue.',
  worker: 'Its runs then continue from their journals.',
};

const addressOf: Readonly<Record<AppName, string>> = { orchestrator: 'at', worker: 'and has its metrics at' };

export function newsLines(news: StackEvent, paint: Paint): readonly string[] {
  switch (news.kind) {
    case 'died': {
      const { name, how, why, afterMs } = news;
      const again = `restarts in ${durationText(afterMs)}`;
      return [
        `${paint.yellow('!')} The ${name} ended (${how}) and ${again}. ${meanwhile[name]}`,
        paint.dim(`  ${why === undefined ? whereToLook(how) : `It said: ${oneLine(why)}`}`),
      ];
    }
    case 'back': {
      const { name, address } = news;
      return [`${paint.green('✓')} The ${name} is running again, ${addressOf[name]} ${paint.cyan(address)}`];
    }
    case 'down': {
      const { what, how, said } = news;
      return [
        `${paint.red('✗')} ${what} ended unexpectedly (${how}), so Baton stops. Start it again: unfinished runs continue.`,
        ...explainingLines(said).map((line) => paint.dim(`  ${oneLine(line)}`)),
      ];
    }
  }
}

/** The log lines that may explain the end: without those of a healthy start, and each message once. */
const explainingLines = (said: string): readonly string[] => [
  ...new Set(
    said
      .split('\n')
      .map((line) => line.replace(/^[\d-]+ [\d:.]+ \S+ \[\d+\] /, '').replaceAll(/ +/g, ' '))
      .filter((line) => line !== '' && !line.startsWith('LOG:')),
  ),
];

function whereToLook(how: string): string {
  switch (how) {
    case 'SIGKILL':
      return 'It was killed by a user or by the system; if memory ran out, `dmesg` shows it.';
    case 'SIGTERM':
    case 'SIGINT':
    case 'SIGHUP':
    case 'exit code 0':
      return 'Another program on this machine stopped it, not Baton.';
    default:
      return 'Its log may show the cause; LOG_LEVEL=info shows more.';
  }
}
