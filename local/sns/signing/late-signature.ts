import type { SignatureVersion } from '../topic';
import { type SignedMembers, signatureOf } from './signature';

/** A signature that is made when somebody reads it, and once for all who receive what it signs. */
export class LateSignature {
  private signature: string | undefined;

  constructor(
    private readonly members: SignedMembers,
    readonly version: SignatureVersion,
  ) {}

  /** In base64. */
  toString(): string {
    this.signature ??= signatureOf(this.members, this.version);
    return this.signature;
  }
}
