import { Ledger, response, type SubscriberAccount } from '../../local';
import type { Deployed } from './deployed';

/** The ledger accounts of all subscribers except mailboxes, which receive alarms. */
export function accounts({ aws }: Deployed): readonly SubscriberAccount[] {
  return Ledger.of(aws.trace.events)
    .accounts()
    .filter(({ protocol }) => protocol !== 'email');
}

/** Does what the owners of endpoints must do before SNS delivers. */
export function confirmEndpoints({ aws }: Deployed): void {
  for (const { protocol, endpoint } of aws.state().pendingSubscriptions) {
    if (/^https?$/.test(protocol)) aws.confirmSubscription(endpoint);
  }
}

/** Failures that SNS does not retry: the target does not exist, or denies access. */
const FORBIDDEN = { httpStatus: 403, code: 'AccessDenied' };

/** Makes a subscriber fail on every message. */
const BREAK: Readonly<Partial<Record<string, (deployed: Deployed, endpoint: string) => void>>> = {
  sqs: ({ aws }, resource) => void aws.faults.set({ service: 'sqs', action: 'SendMessage', resource, ...FORBIDDEN }),
  lambda: ({ aws }, resource) => void aws.faults.set({ service: 'lambda', action: 'Invoke', resource, ...FORBIDDEN }),
  https: ({ aws }, url) => aws.endpoint(new URL(url).host).behave({ reply: response(503) }),
  firehose: ({ aws }, arn) => aws.recipients.behave(arn, { outcome: { kind: 'answered', statusCode: 400 } }),
};

/** Makes every subscriber fail on every message. */
export function breakSubscribers(deployed: Deployed): void {
  for (const { protocol, endpoint } of accounts(deployed)) {
    const broken = BREAK[protocol];
    if (!broken) throw new Error(`there is no way to break a subscriber of ${protocol}`);
    broken(deployed, endpoint);
  }
}
