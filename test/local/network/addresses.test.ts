import { addressesOf, canonicalHost, defaultAddressOf } from '../../../local/network/addresses';

describe('a host', () => {
  test.each([
    ['Billing.Example.com.', 'billing.example.com'],
    ['[::1]', '::1'],
    ['FD00:EC2:0::254', 'fd00:ec2::254'],
    ['fe80::1%eth0', 'fe80::1'],
    ['::ffff:169.254.169.254', '169.254.169.254'],
    ['::FFFF:a9fe:a9fe', '169.254.169.254'],
    ['0:0:0:0:0:ffff:7f00:1', '127.0.0.1'],
    ['2130706433', '127.0.0.1'],
    ['0x7f000001', '127.0.0.1'],
    ['0177.0.0.1', '127.0.0.1'],
    ['127.1', '127.0.0.1'],
    ['10.0.0.5.', '10.0.0.5'],
    ['0xa9.0xfe.43518', '169.254.169.254'],
    // These look like addresses, but are names.
    ['1.2.3.999', '1.2.3.999'],
    ['cafe.fade', 'cafe.fade'],
    ['a:b', 'a:b'],
  ])('%s is %s', (given, host) => {
    expect(canonicalHost(given)).toBe(host);
  });

  test('is at one public address of its own, in every spelling of its name', () => {
    expect(addressesOf('billing.example.com')).toEqual([expect.stringMatching(/^52\.\d+\.\d+\.\d+$/)]);
    expect(addressesOf('Billing.example.com.')).toEqual(addressesOf('billing.example.com'));
    expect(addressesOf('shipping.example.com')).not.toEqual(addressesOf('billing.example.com'));
  });

  test.each([
    ['localhost', '127.0.0.1'],
    ['anything.localhost', '127.0.0.1'],
    ['127.1', '127.0.0.1'],
    ['[fd00::1]', 'fd00::1'],
  ])('named %s is %s, and has no other home', (given, address) => {
    expect(addressesOf(given)).toEqual([address]);
    expect(defaultAddressOf(given)).toBeUndefined();
  });
});
