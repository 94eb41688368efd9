import type { LazyText } from '../../kernel/late-text';
import type { CommonPart } from './common-part';

/** The JSON an enveloped subscription receives, which is signed when somebody reads it. */
export class Notification implements LazyText {
  readonly byteLength: number;

  constructor(
    private readonly common: CommonPart,
    /** What is the subscriber's own: nothing but ASCII. */
    private readonly own: string,
  ) {
    this.byteLength = common.byteLengthWith(own);
  }

  toString(): string {
    return this.common.with(this.own);
  }
}
