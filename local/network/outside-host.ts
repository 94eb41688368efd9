import { InvalidInput } from '../kernel/member-reader';

const HOST_NAME = /^[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*$/i;

/**
 * The name of a host that a scenario can speak for, in lower case.
 *
 * @param isAws whether the embedded AWS itself answers there
 * @throws InvalidInput when it is no host name, or AWS's own: what was scripted would never happen
 */
export function outsideHost(hostName: unknown, isAws: (name: string) => boolean): string {
  const property = 'the host';
  if (typeof hostName !== 'string' || !HOST_NAME.test(hostName)) {
    const rule = 'must be a name such as billing.example.com, without scheme, port or path';
    throw new InvalidInput([{ property, rule, value: hostName }]);
  }
  const name = hostName.toLowerCase();
  if (!isAws(name)) return name;
  const rule = 'must be outside of AWS: AWS itself answers there, and is made to fail by faults';
  throw new InvalidInput([{ property, rule, value: hostName }]);
}
