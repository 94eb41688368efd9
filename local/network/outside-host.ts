import net from 'node:net';
import { InvalidInput } from '../kernel/member-reader';
import { canonicalHost } from './addresses';

const HOST_NAME = /^[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*$/i;

/**
 * Normalizes the host name or address of an outside endpoint.
 *
 * @param isAws whether the embedded AWS itself answers for the name
 * @throws InvalidInput for an invalid host name, and for a host of AWS, where the scripted behavior would never happen
 */
export function outsideHost(hostName: unknown, isAws: (name: string) => boolean): string {
  const property = 'the host';
  const name = typeof hostName === 'string' ? canonicalHost(hostName) : '';
  if (typeof hostName !== 'string' || !(HOST_NAME.test(hostName) || net.isIP(name))) {
    const rule = 'must be a name such as billing.example.com, or an address, without scheme, port or path';
    throw new InvalidInput([{ property, rule, value: hostName }]);
  }
  if (!isAws(name)) return name;
  const rule = 'must be outside AWS: use faults to make an AWS service fail';
  throw new InvalidInput([{ property, rule, value: hostName }]);
}
