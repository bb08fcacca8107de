import { expect, test } from 'vitest';

import { accountsIn } from './runningAddress.ts';

test('the accounts that listen at a port are read, and not those that are connected there', () => {
  const table = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1130 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1001        0 354 1 0 100 0 0 10 0
   1: 0100007F:1131 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1002        0 355 1 0 100 0 0 10 0
   2: 0100007F:1130 0100007F:93BD 01 00000000:00000000 00:00000000 00000000  1003        0 356 1 0 100 0 0 10 0
`;
  const wide = `   0: 00000000000000000000000000000000:1130 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 357`;
  expect(accountsIn(table, 4400)).toEqual([1001]);
  expect(accountsIn(wide, 4400)).toEqual([0]);
  expect(accountsIn(table, 4402)).toEqual([]);
});
