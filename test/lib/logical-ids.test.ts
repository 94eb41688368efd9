import { RentalOrdersStack } from '../../lib';
import { newApp, templateOf } from './support';

/**
 * What holds messages, or records of them, or lets them be read, and where orders come in: under another logical id it
 * would be another one, and the live one gone with all that is in it. The snapshot of the whole template can be recorded
 * anew; this list is only ever added to.
 */
const LIVE = [
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

describe('RentalOrders', () => {
  const rentalOrders = { opsEmail: 'ops@example.com', billingEndpoint: 'https://billing.example.com/invoices' };
  const template = templateOf(new RentalOrdersStack(newApp(), 'RentalOrders', { rentalOrders }));
  const resources: [string, { Type: string }][] = Object.entries(template.toJSON()['Resources']);

  test('keeps the logical ids of what a live stack cannot do without', () => {
    const ids = resources.filter(([, { Type }]) => KEEPING.test(Type)).map(([logicalId]) => logicalId);
    expect(ids.sort()).toEqual([...LIVE].sort());
  });
});
