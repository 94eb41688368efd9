import { GetFunctionConfigurationCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { GetQueueUrlCommand, QueueDoesNotExist, SQSClient } from '@aws-sdk/client-sqs';
import { BadInput } from '../../account/errors';
import type { RentalOrder } from '../../examples/rental/billing-function/billing';
import { type LocalAws, type Random, response } from '../../local';
import { HOUR_MS } from '../../policy/time-units';
import { type FulfilmentProcess, startFulfilment } from './fulfilment-process';

export interface QueuePlace {
  readonly name: string;
  readonly url: string;
}

const DEAD_LETTER_QUEUES = [
  'Rental-Fulfilment-Fanout-DLQ',
  'Rental-Billing-Fanout-DLQ',
  'Rental-Fulfilment-DLQ',
  'Rental-Billing-DLQ',
] as const;

/** The deployed backend with the systems around it: the shop, the fulfilment system and the billing system. */
export interface RentalSimulation {
  readonly aws: LocalAws;
  /** A client without retries, so that the story shows every failure. */
  readonly sqs: SQSClient;
  readonly queues: { readonly fulfilment: QueuePlace; readonly deadLetter: readonly QueuePlace[] };
  readonly shop: Shop;
  readonly fulfilment: FulfilmentProcess;
  /** Makes the billing system answer 503. Returns what ends that. */
  readonly failBilling: () => () => void;
}

/**
 * Connects the other systems to a deployed backend.
 *
 * @throws BadInput when the stack is not RentalOrders, or has other names
 */
export async function startRentalSimulation(aws: LocalAws): Promise<RentalSimulation> {
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
    fulfilment: startFulfilment(aws, fulfilment.url),
    failBilling: billingOutage(aws, new URL(await billingUrl(aws))),
  };
}

/** The story finds the backend by the names of its queues. */
function notRental(error: unknown): never {
  if (!(error instanceof QueueDoesNotExist)) throw error;
  throw new BadInput(['the story needs an assembly of RentalOrders with its default names']);
}

async function billingUrl(aws: LocalAws): Promise<string> {
  const asked = new GetFunctionConfigurationCommand({ FunctionName: 'Rental-Billing' });
  const { Environment } = await new LambdaClient(aws.clientConfig()).send(asked);
  return Environment?.Variables?.['BILLING_URL'] ?? '';
}

function billingOutage(aws: LocalAws, { hostname, pathname }: URL): () => () => void {
  const [api, service] = hostname.split('.');
  if (service !== 'execute-api') {
    const billing = aws.endpoint(hostname);
    return () => {
      billing.behave({ reply: response(503, 'down for unplanned maintenance') });
      return () => billing.behave();
    };
  }
  const { partition, region, account } = aws.place;
  const [, stage, ...path] = pathname.split('/');
  const resource = `arn:${partition}:execute-api:${region}:${account}:${api}/${stage}/POST/${path.join('/')}`;
  return () => aws.faults.set({ service, resource, httpStatus: 503, code: 'ServiceUnavailable' }).end;
}

/** What the shop posts to the API. */
type Order = Omit<RentalOrder, 'status'> & { readonly status: 'confirmed' | 'canceled' | 'pending' };

/** What a day costs in each class the fleet has. */
const DAILY_RATES: Readonly<Record<string, number>> = { compact: 3_900, estate: 5_200, van: 6_800, electric: 6_100 };

const CLASSES = Object.keys(DAILY_RATES);

/** A class that the API accepts but the fleet does not have. Fulfilling such an order always fails. */
const POISON_CLASS = 'hovercraft';

/** Writes orders as customers would: mostly confirmed, some canceled, some still pending. */
class OrderBook {
  private written = 0;

  constructor(private readonly random: Random) {}

  /** @param poison an order that cannot be fulfilled */
  next(poison: boolean): Order {
    this.written += 1;
    const vehicleClass = this.oneOf(CLASSES);
    return {
      orderId: `R-${String(this.written).padStart(4, '0')}`,
      status: poison ? 'confirmed' : this.status(),
      customerId: `C-${this.random.integer(100, 999)}`,
      vehicleClass: poison ? POISON_CLASS : vehicleClass,
      days: this.random.integer(1, 14),
      dailyRate: DAILY_RATES[vehicleClass] ?? 0,
      currency: 'EUR',
    };
  }

  /** Milliseconds to the next order: customers come independently of each other, `perHour` of them on average. */
  gapMs(perHour: number): number {
    return Math.round((-Math.log(1 - this.random.fraction()) * HOUR_MS) / perHour);
  }

  private status(): Order['status'] {
    const chance = this.random.fraction();
    if (chance < 0.7) return 'confirmed';
    return chance < 0.85 ? 'canceled' : 'pending';
  }

  private oneOf(choices: readonly string[]): string {
    return choices[this.random.integer(0, choices.length - 1)] ?? POISON_CLASS;
  }
}

/** The rental company's shop: it posts each order to the API, as a customer's browser would through the web site. */
class Shop {
  private poison = false;
  private posted = 0;

  /** @param ordersUrl where orders are posted */
  constructor(
    private readonly aws: LocalAws,
    private readonly book: OrderBook,
    private readonly ordersUrl: string,
  ) {}

  /** How many orders the API took. */
  get ordersTaken(): number {
    return this.posted;
  }

  /** Takes orders, `perHour` on average, until `untilMs`. */
  open(perHour: number, untilMs: number): void {
    const nextMs = this.aws.nowMs + this.book.gapMs(perHour);
    if (nextMs >= untilMs) return;
    this.aws.timeline.at(nextMs, async () => {
      await this.post(this.book.next(this.poison));
      this.open(perHour, untilMs);
    });
  }

  /** Makes all following orders impossible to fulfil, or none. */
  sellPoison(poison: boolean): void {
    this.poison = poison;
  }

  private async post(order: Order): Promise<void> {
    const { status, text } = await this.aws.request('POST', this.ordersUrl, JSON.stringify(order));
    if (status !== 200) throw new Error(`the orders API answered ${status} to ${order.orderId}: ${text}`);
    this.posted += 1;
  }
}
