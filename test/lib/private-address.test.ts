import { isPrivateHost } from '../../lib/private/deliveries/private-address';

const hostOf = (url: string) => new URL(url).hostname;

test.each([
  'localhost',
  'a.localhost',
  '10.0.0.1',
  '127.1',
  '172.16.0.1',
  '192.168.1.1',
  '169.254.1.1',
  '[::1]',
  '[fd00::1]',
  '[fe80::1]',
])('%s is nothing SNS can reach', host => expect(isPrivateHost(hostOf(`https://${host}/orders`))).toBe(true));

test.each(['example.com', 'localhost.example.com', '11.0.0.1', '172.32.0.1', '192.169.0.1', '[2001:db8::1]'])(
  '%s is public',
  host => expect(isPrivateHost(hostOf(`https://${host}/orders`))).toBe(false),
);
