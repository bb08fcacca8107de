import { journalContract } from './contracts/journal.ts';
import { type AppendFate, MemoryJournal } from './memoryJournal.ts';

journalContract('in memory', async () => {
  let next: AppendFate = 'written';
  const fate = (): AppendFate => {
    const now = next;
    next = 'written';
    return now;
  };
  const journal = new MemoryJournal({ fate });
  return {
    one: journal,
    other: journal,
    blobs: journal.blobs,
    state: journal.state,
    request: (request) => journal.request(request),
    row: async (runId) => journal.row(runId),
    cutOne: (when) => {
      next = when === 'before' ? 'lost' : 'unheard';
    },
    close: async () => undefined,
  };
});
