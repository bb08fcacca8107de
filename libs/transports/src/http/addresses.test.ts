import { expect, test } from 'vitest';

import { addressCheck, BlockedAddressError, literalProblem } from './addresses.ts';

const strict = addressCheck({ loopback: false, networks: [] });
const onThisMachine = addressCheck({ loopback: true, networks: ['10.1.0.0/16', 'fd00::/8'] });

test.each(['93.184.216.34', '2606:2800:220:1::1', '8.8.8.8'])('%s is public', (address) => {
  expect(strict(address)).toBeUndefined();
});

test.each([
  '127.0.0.1',
  '::1',
  '0.0.0.0',
  '::',
  '10.0.0.1',
  '172.16.0.1',
  '192.168.0.1',
  '100.64.0.1',
  '169.254.169.254',
  '192.0.2.1',
  '198.18.0.1',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  'fe80::1',
  'fc00::1',
  'ff02::1',
  '::ffff:127.0.0.1',
  '::ffff:10.0.0.1',
  '64:ff9b::7f00:1',
  '2002:7f00:1::',
  '2001:db8::1',
])('%s is not to be connected to', (address) => {
  expect(strict(address)).toBeDefined();
});

test('what the operator allows is allowed, and no more', () => {
  for (const address of ['127.0.0.1', '::1', '10.1.2.3', '::ffff:10.1.2.3', 'fd00::1']) {
    expect(onThisMachine(address)).toBeUndefined();
  }
  for (const address of ['10.2.0.1', '192.168.0.1', '0.0.0.0', 'fe80::1']) expect(onThisMachine(address)).toBeDefined();
  expect(() => addressCheck({ loopback: false, networks: ['10.0.0.0'] })).toThrow('CIDR format');
});

test.each(['localhost', 'LOCALHOST.', 'a.localhost'])('%s is this machine, without a look-up of the name', (host) => {
  expect(literalProblem(host, strict)).toBeInstanceOf(BlockedAddressError);
  expect(literalProblem(host, onThisMachine)).toBeUndefined();
  expect(literalProblem(`${host}x`, strict)).toBeUndefined();
});

test.each(['[::1]', '127.0.0.1', '[::ffff:10.0.0.1]'])('an address in place of a name is looked at too: %s', (host) => {
  expect(literalProblem(host, strict)).toBeInstanceOf(BlockedAddressError);
});
