import type { WireRequest } from './wire-protocol';

const HEADER = /^AWS4-HMAC-SHA256\s+.*Credential=([^/,\s]+)\//;

/**
 * The access key a request is signed with, in its header or (presigned) in its URL. Signatures are not verified: the
 * embedded AWS holds no secrets worth guarding, and whoever reaches it may do anything an administrator may.
 *
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-authentication-methods.html
 */
export function accessKeyOf({ headers, path }: WireRequest): string | undefined {
  const signed = HEADER.exec(headers['authorization'] ?? '')?.[1];
  if (signed !== undefined) return signed;
  const question = path.indexOf('?');
  if (question === -1) return undefined;
  return new URLSearchParams(path.slice(question + 1)).get('X-Amz-Credential')?.split('/')[0] || undefined;
}
