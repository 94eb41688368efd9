import type { Caller } from '../kernel/caller';
import { sha256OfText } from './digests';

/** The ids under which AWS's own services send, where they are known. */
const SERVICE_IDS: Readonly<Record<string, string>> = { 'sns.amazonaws.com': 'AIDAIT2UOQQY3AUEKVGXU' };

/**
 * `SenderId`: a role's unique id with its session, an account's number. The unique id of a role is AWS's secret; ours is
 * made from its ARN, so that the same role always has the same.
 *
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_ReceiveMessage.html
 */
export function senderId({ principal }: Caller): string {
  if (principal.kind === 'account') return principal.account;
  if (principal.kind === 'service') return SERVICE_IDS[principal.service] ?? principal.service;
  const unique = sha256OfText(principal.arn).slice(0, 17).toUpperCase();
  return `AROA${unique}:${principal.sessionName ?? principal.arn.split('/').pop()}`;
}
