/** An address as a number, and the width of addresses of its family. */
interface Address {
  readonly value: bigint;
  readonly width: 32 | 128;
}

/** Parses an IPv4 or IPv6 address; undefined for anything else. */
function parseAddress(text: string): Address | undefined {
  if (/^\d{1,3}(\.\d{1,3}){3}$/.test(text)) {
    const bytes = text.split('.').map(Number);
    return bytes.every(it => it < 256) ? { value: joined(bytes, 8n), width: 32 } : undefined;
  }
  if (!/^[0-9a-f:]*$/i.test(text) || text.split('::').length > 2) return undefined;
  const [head = '', tail] = text.split('::');
  const groups = (part: string): string[] => (part === '' ? [] : part.split(':'));
  const known = [groups(head), groups(tail ?? '')];
  const missing = 8 - known.flat().length;
  if (tail === undefined ? missing !== 0 : missing < 1) return undefined;
  const all = [...(known[0] ?? []), ...Array<string>(missing).fill('0'), ...(known[1] ?? [])];
  if (!all.every(group => /^[0-9a-f]{1,4}$/i.test(group))) return undefined;
  return {
    value: joined(
      all.map(group => Number.parseInt(group, 16)),
      16n,
    ),
    width: 128,
  };
}

const joined = (parts: readonly number[], bits: bigint): bigint =>
  parts.reduce((value, part) => (value << bits) + BigInt(part), 0n);

function addressText({ value, width }: Address): string {
  const [bits, count] = width === 32 ? [8n, 4] : [16n, 8];
  const parts = Array.from(
    { length: count },
    (_, i) => (value >> (bits * BigInt(count - 1 - i))) & ((1n << bits) - 1n),
  );
  if (width === 32) return parts.join('.');
  return parts
    .map(part => part.toString(16))
    .join(':')
    .replace(/(?:^|:)0(?::0)+(?::|$)/, '::');
}

/**
 * Splits a block of addresses into the first `count` blocks of `bits` host bits.
 *
 * @returns undefined when the block is invalid, or does not hold so many
 * @see https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/intrinsic-function-reference-cidr.html
 */
export function cidrBlocks(block: string, count: number, bits: number): readonly string[] | undefined {
  const [, text = '', mask = ''] = /^(.+)\/(\d{1,3})$/.exec(block) ?? [];
  const address = parseAddress(text);
  if (!address || Number(mask) > address.width || bits < 1) return undefined;
  const { value, width } = address;
  const hostBits = width - Number(mask);
  if (bits > hostBits || BigInt(count) > 1n << BigInt(hostBits - bits)) return undefined;
  const first = (value >> BigInt(hostBits)) << BigInt(hostBits);
  return Array.from(
    { length: count },
    (_, i) => `${addressText({ value: first + (BigInt(i) << BigInt(bits)), width })}/${width - bits}`,
  );
}
