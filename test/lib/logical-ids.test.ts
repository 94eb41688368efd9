import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Stack } from 'aws-cdk-lib';
import { RentalOrdersStack } from '../../lib';
import { ROOT } from '../house/source-files';
import { examples, stackOf } from '../support/markdown-examples';
import { newApp, templateOf } from './support';

/**
 * What holds messages, or records of them, or lets them be read, and where orders come in: under another logical id it
 * would be another one, and the live one gone with all that is in it. The snapshot of the whole template can be recorded
 * anew; this list is only ever added to.
 */
const LIVE_RENTAL_ORDERS = [
  'RentalKeyD7CD02C4',
  'RentalApiAccessLogB261456B',
  'RentalApiExecutionLog6BE25F27',
  'RentalApiRestApiC6D33FD3',
  'RentalBillingLog751F9368',
  'RentalBillingDlqF2F1055B',
  'RentalBillingFanoutDlqB4EE19D4',
  'RentalFulfilmentDlq7BE6E939',
  'RentalFulfilmentFanoutDlqAFF547DF',
  'RentalFulfilmentQueue5DE83FF2',
  'RentalOpsTopic5CF40EA2',
  'RentalOpsTopicEmailF8217415',
  'RentalTopicC4207F96',
  'RentalTopicDeliveriesBillingSubscriptionC43E0539',
  'RentalTopicDeliveriesFulfilmentSubscription3676E188',
  'RentalTopicDeliveryStatusFailures818B6796',
  'RentalTopicDeliveryStatusSuccessesB6A0E479',
];

/** The types of the above. */
const KEEPING = /^AWS::(KMS::Key|Logs::LogGroup|SNS::(Topic|Subscription)|SQS::Queue|ApiGateway::RestApi)$/;

/** The same of README's example, which is in other people's stacks by now. */
const LIVE_EXAMPLE = [
  'BillingFailuresDeadLetterQueue982DA775',
  'FulfilmentB5B164CA',
  'FulfilmentDeadLetterQueue1A3B608F',
  'OpsA097D252',
  'OpsEmail72101C6C',
  'OrdersTopic47790A41',
  'OrdersTopicDeliveriesToBillingDeadLetterQueueC2692BB3',
  'OrdersTopicDeliveriesToBillingSubscriptionC5FEF655',
  'OrdersTopicDeliveriesToFulfilmentDeadLetterQueue05615C16',
  'OrdersTopicDeliveriesToFulfilmentSubscription9130B724',
  'OrdersTopicDeliveriesToPartnerDeadLetterQueueF5181140',
  'OrdersTopicDeliveriesToPartnerSubscription4E925B98',
  'OrdersTopicDeliveryStatusFailures03E4FC66',
  'OrdersTopicDeliveryStatusSuccessesEBADEA13',
];

/** The logical ids of what keeps something. */
function keeping(stack: Stack): string[] {
  const resources: [string, { Type: string }][] = Object.entries(templateOf(stack).toJSON()['Resources']);
  return resources.filter(([, { Type }]) => KEEPING.test(Type)).map(([logicalId]) => logicalId);
}

test('RentalOrders keeps the logical ids of what a live stack cannot do without', () => {
  const rentalOrders = { opsEmail: 'ops@example.com', billingEndpoint: 'https://billing.example.com/invoices' };
  const stack = new RentalOrdersStack(newApp(), 'RentalOrders', { rentalOrders });
  expect(keeping(stack).sort()).toEqual([...LIVE_RENTAL_ORDERS].sort());
});

test('README’s example keeps them, too', () => {
  const [example = ''] = examples(readFileSync(path.join(ROOT, 'README.md'), 'utf8'));
  expect(keeping(stackOf(example)).sort()).toEqual([...LIVE_EXAMPLE].sort());
});
