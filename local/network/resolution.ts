import net from 'node:net';
import { LAST_INSTANT_MS } from '../kernel/clock';
import { InvalidInput, MemberReader } from '../kernel/member-reader';
import type { ActivePeriod } from '../kernel/script';

/** What a name resolves to for some time. Its `count` is a number of lookups. */
export interface Resolution extends ActivePeriod {
  /** IPv4 and IPv6 addresses, in this order. An empty list means that the name does not exist (`ENOTFOUND`). */
  readonly addresses: readonly string[];
  /** How long a lookup takes, in milliseconds. @default 0 */
  readonly latencyMs?: number;
}

export const ADDRESSES_RULE = 'must be a list of IPv4 and IPv6 addresses';

export const isAddresses = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every(it => typeof it === 'string' && net.isIP(it) !== 0);

/** @throws InvalidInput naming every invalid member */
export function checkResolutions(hostName: string, resolutions: readonly unknown[], nowMs: number): void {
  if (net.isIP(hostName) && resolutions.length > 0) {
    throw new InvalidInput([{ property: 'the host', rule: 'must be a name to resolve to anything', value: hostName }]);
  }
  const problems = resolutions.flatMap((resolution, i) => {
    const path = resolutions.length === 1 ? '' : `[${i}].`;
    const reader = new MemberReader(resolution, `a resolution${path.slice(0, -1)}`, path);
    reader.number('untilMs', -LAST_INSTANT_MS, Number.POSITIVE_INFINITY);
    reader.number('forMs', 0, Number.POSITIVE_INFINITY);
    reader.wholeNumber('count', 1);
    reader.number('latencyMs', 0, LAST_INSTANT_MS - nowMs);
    reader.optional('addresses', ADDRESSES_RULE, isAddresses);
    if (!reader.has('addresses')) reader.refuse('addresses', ADDRESSES_RULE, undefined);
    return reader.allProblems();
  });
  if (problems.length > 0) throw new InvalidInput(problems);
}
