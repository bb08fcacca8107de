import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, onTestFinished, test, vi } from 'vitest';

import { FolderWatch } from './folderWatch.ts';
import { notWatched } from './notWatched.ts';

async function watched(root: string) {
  const onFault = vi.fn<(folder: string, cause: Error) => void>();
  const watch = new FolderWatch(root, { onChange: () => {}, onFault });
  onTestFinished(() => watch.close());
  await watch.open();
  return { onFault };
}

test('a folder that is gone before it is watched is no fault; one that cannot be watched is told', async () => {
  expect((await watched(join(tmpdir(), 'baton-not-there'))).onFault).not.toHaveBeenCalled();
  const long = 'x'.repeat(300);
  const { onFault } = await watched(long);
  expect(onFault).toHaveBeenCalledExactlyOnceWith(long, expect.objectContaining({ code: 'ENAMETOOLONG' }));
});

test('the limit of watches is not told as a full disk', () => {
  const cause = Object.assign(new Error('ENOSPC: System limit for number of file watchers reached'), {
    code: 'ENOSPC',
  });
  expect(notWatched('The folder flows', cause)).toBe(
    'The folder flows is not watched: this system allows no more watches (see fs.inotify.max_user_watches).',
  );
});
