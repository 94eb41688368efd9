import { type AddressRange, parseRange } from './address';

/** Ranges of one kind. */
export interface KindOfRanges {
  /** Completes a sentence that begins with one of its addresses: `is the machine itself`. */
  readonly what: string;
  readonly ranges: readonly AddressRange[];
}

function rangesOf(...texts: readonly string[]): readonly AddressRange[] {
  return texts.map(text => {
    const range = parseRange(text);
    if (!range) throw new TypeError(`a range must be in CIDR notation, got ${JSON.stringify(text)}`);
    return range;
  });
}

/**
 * Where AWS hands out credentials, or what else a machine is told of itself: of an instance, of a task of ECS, of a pod of
 * EKS.
 *
 * @see https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instancedata-data-retrieval.html
 * @see https://docs.aws.amazon.com/AmazonECS/latest/developerguide/task-metadata-endpoint.html
 * @see https://docs.aws.amazon.com/eks/latest/userguide/pod-id-how-it-works.html
 */
export const METADATA: KindOfRanges = {
  what: 'is where AWS hands out credentials',
  ranges: rangesOf(
    '169.254.169.254/32',
    '169.254.170.2/32',
    '169.254.170.23/32',
    'fd00:ec2::254/128',
    'fd00:ec2::23/128',
  ),
};

/** What IPv6 writes addresses of IPv4 as. @see https://www.rfc-editor.org/rfc/rfc6052#section-2.1 */
export const IPV4_IN_IPV6: readonly AddressRange[] = rangesOf('::ffff:0:0/96', '64:ff9b::/96');

/**
 * What no network can have behind it but the machine itself, its link, or everybody. A function has the API it gets its
 * events from on loopback.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html
 */
export const NOT_A_HOST: readonly KindOfRanges[] = [
  { what: 'is no host', ranges: rangesOf('0.0.0.0/8', '::/128') },
  { what: 'is the machine itself', ranges: rangesOf('127.0.0.0/8', '::1/128') },
  { what: 'is of the link alone', ranges: rangesOf('169.254.0.0/16', 'fe80::/10') },
  { what: 'is many hosts', ranges: rangesOf('224.0.0.0/4', '255.255.255.255/32', 'ff00::/8') },
];

/** All that the registries have given out to be one host's. @see https://www.iana.org/assignments/ipv6-address-space */
export const GIVEN_OUT: readonly AddressRange[] = rangesOf('0.0.0.0/0', '2000::/3');

/**
 * Of what was given out, that which no host on the internet has as its own: private, shared, for protocols, for examples
 * and benchmarks, for tunnels, for services that are everywhere, and what nobody has yet.
 *
 * @see https://www.iana.org/assignments/iana-ipv4-special-registry
 * @see https://www.iana.org/assignments/iana-ipv6-special-registry
 */
export const NOT_PUBLIC: readonly AddressRange[] = rangesOf(
  '10.0.0.0/8',
  '100.64.0.0/10',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '240.0.0.0/4',
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '2620:4f:8000::/48',
  '3fff::/20',
);
