import { GetFunctionConfigurationCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { GetQueueUrlCommand, QueueDoesNotExist, SQSClient } from '@aws-sdk/client-sqs';
import type { LocalAws, OutsideEndpoint } from '../../../local';
import { BadInput } from '../../errors';
import { FulfilmentSystem } from './fulfilment-system';
import { OrderBook } from './order-book';
import { Shop } from './shop';

/** Where a queue is, for a client. */
export interface QueuePlace {
  readonly name: string;
  readonly url: string;
}

/** The dead-letter queues of the rental backend. */
export const DEAD_LETTER_QUEUES = [
  'Rental-Fulfilment-Fanout-DLQ',
  'Rental-Billing-Fanout-DLQ',
  'Rental-Fulfilment-DLQ',
  'Rental-Billing-DLQ',
] as const;

/** The deployed backend with everybody who lives around it: customers, the fulfilment system, the billing system. */
export interface RentalSimulation {
  readonly aws: LocalAws;
  /** A client as anybody would make one, except that it tries once: the story shows every failure. */
  readonly sqs: SQSClient;
  readonly queues: { readonly fulfilment: QueuePlace; readonly deadLetter: readonly QueuePlace[] };
  readonly shop: Shop;
  readonly fulfilment: FulfilmentSystem;
  readonly billing: OutsideEndpoint;
}

/**
 * Puts people around a deployed backend.
 *
 * @throws BadInput when it is another stack, or has other names
 */
export async function rentalWorld(aws: LocalAws): Promise<RentalSimulation> {
  const sqs = new SQSClient({ ...aws.clientConfig(), maxAttempts: 1 });
  const place = async (name: string): Promise<QueuePlace> => {
    const { QueueUrl = '' } = await sqs.send(new GetQueueUrlCommand({ QueueName: name })).catch(notRental);
    return { name, url: QueueUrl };
  };
  const fulfilment = await place('Rental-Fulfilment');
  return {
    aws,
    sqs,
    queues: { fulfilment, deadLetter: await Promise.all(DEAD_LETTER_QUEUES.map(place)) },
    shop: new Shop(aws, new OrderBook(aws.random('shop')), aws.output('OrdersUrl')),
    fulfilment: new FulfilmentSystem(aws.timeline, sqs, fulfilment.url),
    billing: aws.endpoint(new URL(await billingUrl(aws)).hostname),
  };
}

/** The story knows the backend by its queues. */
function notRental(error: unknown): never {
  if (!(error instanceof QueueDoesNotExist)) throw error;
  throw new BadInput(['the assembly holds no RentalOrders with the names it has by default: the story needs that']);
}

/** Where the billing function posts its invoices, from its own environment. */
async function billingUrl(aws: LocalAws): Promise<string> {
  const asked = new GetFunctionConfigurationCommand({ FunctionName: 'Rental-Billing' });
  const { Environment } = await new LambdaClient(aws.clientConfig()).send(asked);
  return Environment?.Variables?.['BILLING_URL'] ?? '';
}
