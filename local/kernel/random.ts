import { createHash } from 'node:crypto';
import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import type { RandomGenerator } from 'pure-rand/types/RandomGenerator';

const HEX_DIGITS = '0123456789abcdef';
const HEX_CODES = Buffer.from(HEX_DIGITS);

/** The form of a UUID, whose dots are replaced by random digits. Joining pieces of text takes three times as long. */
const UUID_FORM = '........-....-4...-v...-............';
const UUID = Buffer.from(UUID_FORM);
const UUID_VARIANT = UUID_FORM.indexOf('v');
const UUID_DIGITS = [...UUID_FORM].flatMap((sign, position) => (sign === '.' ? [position] : []));

/** The only source of randomness in the embedded AWS: the same seed gives the same numbers. */
export class Random {
  private readonly generator: RandomGenerator;

  /** @param seed any text or number; a failing test prints it so that the run can be repeated */
  constructor(private readonly seed: string | number) {
    this.generator = xoroshiro128plus(createHash('sha256').update(String(seed)).digest().readInt32BE(0));
  }

  /**
   * Returns an independent generator for one part of the simulation, so that another draw in one service does not
   * change the ids of the others.
   */
  stream(name: string): Random {
    return new Random(`${this.seed}/${name}`);
  }

  /** A number from 0 up to, but not including, 1. */
  fraction(): number {
    return uniformFloat64(this.generator);
  }

  /** A whole number from `min` to `max`, both included. */
  integer(min: number, max: number): number {
    return uniformInt(this.generator, min, max);
  }

  /** As `integer(0, mask)`, for a mask of low bits: the same number from the same draw, without a division. */
  private bits(mask: 3 | 15): number {
    return this.generator.next() & mask;
  }

  /** `length` lower-case hexadecimal digits. */
  hex(length: number): string {
    let digits = '';
    for (let i = 0; i < length; i += 1) digits += HEX_DIGITS[this.integer(0, 15)];
    return digits;
  }

  /** A version 4 UUID, the form of AWS's message and request ids. */
  uuid(): string {
    UUID[UUID_VARIANT] = HEX_CODES[8 + this.bits(3)] ?? 0;
    for (const position of UUID_DIGITS) UUID[position] = HEX_CODES[this.bits(15)] ?? 0;
    return UUID.toString('latin1');
  }
}
