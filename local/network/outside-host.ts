import net from 'node:net';
import { InvalidInput } from '../kernel/member-reader';
import { canonicalHost } from './addresses';

const HOST_NAME = /^[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*$/i;

/**
 * The name of a host that a scenario can speak for, or an address, in one spelling.
 *
 * @param isAws whether the embedded AWS itself answers there
 * @throws InvalidInput when it is no host name, or AWS's own: what was scripted would never happen
 */
export function outsideHost(hostName: unknown, isAws: (name: string) => boolean): string {
  const property = 'the host';
  const name = typeof hostName === 'string' ? canonicalHost(hostName) : '';
  if (typeof hostName !== 'string' || !(HOST_NAME.test(hostName) || net.isIP(name))) {
    const rule = 'must be a name such as billing.example.com, or an address, without scheme, port or path';
    throw new InvalidInput([{ property, rule, value: hostName }]);
  }
  if (!isAws(name)) return name;
  const rule = 'must be outside of AWS: AWS itself answers there, and is made to fail by faults';
  throw new InvalidInput([{ property, rule, value: hostName }]);
}
