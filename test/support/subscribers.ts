import { Ledger, response, type SubscriberAccount } from '../../local';
import type { Deployed } from './deployed';

/** The accounts of all subscribers but mailboxes, which hear of alarms. */
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

/** What SNS does not retry: nobody there, or no way in. */
const FORBIDDEN = { httpStatus: 403, code: 'AccessDenied' };

/** Makes a subscriber unable to take anything. */
const BREAK: Readonly<Partial<Record<string, (deployed: Deployed, endpoint: string) => void>>> = {
  sqs: ({ aws }, resource) => void aws.faults.set({ service: 'sqs', action: 'SendMessage', resource, ...FORBIDDEN }),
  lambda: ({ aws }, resource) => void aws.faults.set({ service: 'lambda', action: 'Invoke', resource, ...FORBIDDEN }),
  https: ({ aws }, url) => aws.endpoint(new URL(url).host).behave({ reply: response(503) }),
  firehose: ({ aws }, arn) => aws.recipients.behave(arn, { outcome: { kind: 'answered', statusCode: 400 } }),
};

/** Makes every subscriber unable to take anything. */
export function breakSubscribers(deployed: Deployed): void {
  for (const { protocol, endpoint } of accounts(deployed)) {
    const broken = BREAK[protocol];
    if (!broken) throw new Error(`nothing here breaks a subscriber of ${protocol}`);
    broken(deployed, endpoint);
  }
}
