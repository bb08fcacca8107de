/** Process events of `baton dev` and their messages. */
import { durationText } from '@baton/primitives';

import type { Paint } from '../output/output.ts';
import { oneLine } from '../output/text.ts';

export type StackEvent =
  /** `how`: the signal, or the exit code in words; `why`: what the process reported, if anything. */
  | { readonly kind: 'died'; how: string; why: string | undefined; afterMs: number }
  | { readonly kind: 'back'; address: string }
  /** The process is not restarted. `said`: its last log lines. */
  | { readonly kind: 'down'; what: string; how: string; said: string };

export function newsLines(news: StackEvent, paint: Paint): readonly string[] {
  switch (news.kind) {
    case 'died': {
      const { how, why, afterMs } = news;
      const again = `restarts in ${durationText(afterMs)}`;
      return [
        `${paint.yellow('!')} The server ended (${how}) and ${again}. Its runs then continue from their journals.`,
        paint.dim(`  ${why === undefined ? whereToLook(how) : `It said: ${oneLine(why)}`}`),
      ];
    }
    case 'back':
      return [`${paint.green('✓')} The server is running again, at ${paint.cyan(news.address)}`];
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
