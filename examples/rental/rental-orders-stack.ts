import { Annotations, CfnOutput, Duration, RemovalPolicy, Stack, type StackProps, Token } from 'aws-cdk-lib';
import { Grant, type IGrantable, ManagedPolicy, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { SubscriptionFilter } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import {
  DeadLetterQueue,
  DurableTopic,
  FunctionFailures,
  OpsDashboard,
  OpsTopic,
  ProcessingQueue,
} from 'dead-letter-office';
import { throwProblems, urlProblems } from './checks';
import { RentalBilling } from './rental-billing';
import { RentalOrdersApi } from './rental-orders-api';
import { BillingStub, FulfilmentSystem } from './systems';

/** Properties of a `RentalOrdersStack`. */
export interface RentalOrdersStackProps extends StackProps {
  /**
   * Properties of the backend.
   *
   * @default - the defaults of `RentalOrders`
   */
  readonly rentalOrders?: RentalOrdersProps;
}

/** `RentalOrders` in a stack of its own. */
export class RentalOrdersStack extends Stack {
  /** The backend. */
  public readonly rentalOrders: RentalOrders;

  constructor(scope: Construct, id: string, props: RentalOrdersStackProps = {}) {
    const { rentalOrders, ...stack } = props;
    super(scope, id, { description: 'A rental-car order backend that loses no order.', ...stack });
    this.rentalOrders = new RentalOrders(this, 'Rental', rentalOrders);
    new CfnOutput(this, 'OrdersUrl', {
      description: 'Post orders here, signed for execute-api.',
      value: this.rentalOrders.api.restApi.urlForPath('/orders'),
    });
  }
}

/** Properties of a `RentalOrders`. */
export interface RentalOrdersProps {
  /**
   * The prefix of all physical names: the topic is `<prefix>-Orders`, the queue `<prefix>-Fulfilment`.
   *
   * @default 'Rental'
   */
  readonly namePrefix?: string;

  /**
   * The external billing system's URL, which gets a POST for each invoice: absolute, http or https.
   *
   * @default - with `systems`, a stub that accepts every invoice; otherwise https://billing.example.com/invoices, which
   * does not exist, with the warning `dead-letter-office:no-billing-endpoint`
   */
  readonly billingEndpoint?: string;

  /**
   * Whether to create the two systems around the backend: the fulfilment system, which reads `Rental-Fulfilment` on an
   * instance in a VPC, and, unless there is a `billingEndpoint`, a stub of the billing system.
   *
   * @default false
   */
  readonly systems?: boolean;

  /**
   * The email address that is notified of each alarm. SNS first asks it to confirm.
   *
   * @default - none: add a subscription to `opsTopic`, or there is the warning `dead-letter-office:ops-topic-unheard`
   */
  readonly opsEmail?: string;

  /**
   * Whether to set the role with which API Gateway logs. The setting is shared by the whole account and Region: use
   * false if another stack sets it.
   *
   * @default true
   */
  readonly setAccountLoggingRole?: boolean;

  /**
   * What happens to the key, the queues with their messages, and the logs when the stack is deleted. A retained
   * resource keeps its physical name, so another deployment with the same prefix fails until it is deleted.
   *
   * @default RemovalPolicy.DESTROY
   */
  readonly removalPolicy?: RemovalPolicy;
}

const DEFAULT_BILLING_ENDPOINT = 'https://billing.example.com/invoices';

/** The orders that both subscribers process. A pending booking needs no car and no invoice. */
const ACTED_ON = ['confirmed', 'canceled'];

/**
 * A prefix with which all physical names are valid: the longest adds 22 characters, and a queue name has at most 80.
 */
const NAME_PREFIX = /^[A-Za-z0-9_-]{1,50}$/;

function prefixProblems(prefix: string | undefined): string[] {
  if (prefix === undefined || Token.isUnresolved(prefix) || NAME_PREFIX.test(prefix)) return [];
  return [`namePrefix must be 1 to 50 alphanumeric characters, hyphens and underscores, got ${JSON.stringify(prefix)}`];
}

/** The maximum receive count of the fulfilment queue. */
const FULFILMENT_RECEIVES = 3;

/** The actions of SQS that a consumer with a heartbeat needs. */
const RECEIVING = ['ReceiveMessage', 'DeleteMessage', 'ChangeMessageVisibility'];

/**
 * The order backend of a rental-car company, from the blog post that introduced SNS dead-letter queues. An API
 * publishes each order to a topic, which delivers it to a queue for the in-house fulfilment system and to a billing
 * function. Orders that cannot be delivered, processed or billed go to dead-letter queues, and an alarm fires.
 *
 * Both subscriptions receive the orders whose attribute `order-status` is `confirmed` or `canceled`. The post filters
 * only the queue's. Here the function has the same filter, because only these two states are billed or credited.
 *
 * @see https://aws.amazon.com/blogs/compute/designing-durable-serverless-apps-with-dlqs-for-amazon-sns-amazon-sqs-aws-lambda/
 */
export class RentalOrders extends Construct {
  /** Encrypts the topics, the queues and the dead-letter queues; rotated every year. */
  public readonly key: Key;
  /** `POST /orders`. */
  public readonly api: RentalOrdersApi;
  /** `Rental-Orders`. */
  public readonly topic: DurableTopic;
  /** `Rental-Ops`, to which all alarms publish. */
  public readonly opsTopic: OpsTopic;
  /** `Rental-Fulfilment`, read by the fulfilment system. */
  public readonly fulfilmentQueue: ProcessingQueue;
  /** `Rental-Fulfilment-DLQ`: orders the fulfilment system failed on three times. */
  public readonly fulfilmentDeadLetterQueue: DeadLetterQueue;
  /** `Rental-Fulfilment-Fanout-DLQ`: orders SNS could not deliver to the queue. */
  public readonly fulfilmentFanoutDeadLetterQueue: DeadLetterQueue;
  /** `Rental-Billing`. */
  public readonly billing: RentalBilling;
  /** Stores the orders that billing failed on, in `Rental-Billing-DLQ`. */
  public readonly billingFailures: FunctionFailures;
  /** `Rental-Billing-Fanout-DLQ`: orders SNS could not deliver to the function. */
  public readonly billingFanoutDeadLetterQueue: DeadLetterQueue;
  /** `Rental-Orders`: which messages fail, where, and since when. */
  public readonly dashboard: OpsDashboard;
  /** The fulfilment system, with `systems`. Without it, attach `fulfilmentConsumerPolicy` to the role of your own. */
  public readonly fulfilmentSystem: FulfilmentSystem | undefined;
  /** Attach it to the role of the fulfilment system's instances: it may receive and delete orders. */
  public readonly fulfilmentConsumerPolicy: ManagedPolicy;

  private readonly prefix: string;
  private readonly removalPolicy: RemovalPolicy;

  /** @throws one error that names each property AWS would reject, the rule and the value */
  constructor(scope: Construct, id: string, props: RentalOrdersProps = {}) {
    throwProblems(scope, id, [
      ...prefixProblems(props.namePrefix),
      ...urlProblems('billingEndpoint', props.billingEndpoint),
    ]);
    super(scope, id);
    this.prefix = props.namePrefix ?? 'Rental';
    this.removalPolicy = props.removalPolicy ?? RemovalPolicy.DESTROY;
    this.key = this.addKey();
    this.opsTopic = this.addOpsTopic(props.opsEmail);
    this.topic = this.addTopic();
    this.fulfilmentDeadLetterQueue = this.addDeadLetterQueue('FulfilmentDlq', 'Fulfilment-DLQ');
    this.fulfilmentFanoutDeadLetterQueue = this.addDeadLetterQueue('FulfilmentFanoutDlq', 'Fulfilment-Fanout-DLQ');
    this.billingFanoutDeadLetterQueue = this.addDeadLetterQueue('BillingFanoutDlq', 'Billing-Fanout-DLQ');
    this.fulfilmentQueue = this.addFulfilmentQueue();
    this.fulfilmentConsumerPolicy = this.addFulfilmentConsumerPolicy();
    this.billing = this.addBilling(props);
    this.billingFailures = this.addBillingFailures();
    this.subscribe();
    this.dashboard = this.addDashboard();
    this.api = new RentalOrdersApi(this, 'Api', {
      topic: this.topic,
      apiName: this.named('Orders'),
      setAccountLoggingRole: props.setAccountLoggingRole,
      removalPolicy: this.removalPolicy,
    });
    this.fulfilmentSystem = props.systems ? this.addFulfilmentSystem() : undefined;
  }

  /** Lets the fulfilment system receive and delete orders. */
  public grantFulfilment(grantee: IGrantable): Grant {
    return this.fulfilmentStatements()
      .map(({ actions, resources: resourceArns }) => Grant.addToPrincipal({ grantee, actions, resourceArns }))
      .reduce((all, one) => all.combine(one));
  }

  private named(name: string): string {
    return `${this.prefix}-${name}`;
  }

  private addKey(): Key {
    return new Key(this, 'Key', {
      description: `Encrypts the orders of ${this.named('Orders')}, in its topics, queues and dead-letter queues.`,
      alias: this.named('Orders'),
      enableKeyRotation: true,
      pendingWindow: Duration.days(30),
      removalPolicy: this.removalPolicy,
    });
  }

  private addOpsTopic(email: string | undefined): OpsTopic {
    return new OpsTopic(this, 'OpsTopic', { topicName: this.named('Ops'), masterKey: this.key, email });
  }

  private addTopic(): DurableTopic {
    return new DurableTopic(this, 'Topic', {
      topicName: this.named('Orders'),
      masterKey: this.key,
      alarmActions: [this.opsTopic],
      deliveryStatusLogging: { removalPolicy: this.removalPolicy },
    });
  }

  private addDeadLetterQueue(id: string, name: string): DeadLetterQueue {
    return new DeadLetterQueue(this, id, {
      queueName: this.named(name),
      encryptionMasterKey: this.key,
      removalPolicy: this.removalPolicy,
      alarmActions: [this.opsTopic],
    });
  }

  private addFulfilmentQueue(): ProcessingQueue {
    return new ProcessingQueue(this, 'FulfilmentQueue', {
      queueName: this.named('Fulfilment'),
      encryptionMasterKey: this.key,
      removalPolicy: this.removalPolicy,
      alarmActions: [this.opsTopic],
      visibilityTimeout: Duration.minutes(2),
      consumerTimeout: Duration.minutes(1),
      deadLetterQueue: { queue: this.fulfilmentDeadLetterQueue, maxReceiveCount: FULFILMENT_RECEIVES },
    });
  }

  private addFulfilmentSystem(): FulfilmentSystem {
    return new FulfilmentSystem(this, 'FulfilmentSystem', {
      queue: this.fulfilmentQueue,
      permissions: this.fulfilmentStatements(RECEIVING),
      removalPolicy: this.removalPolicy,
    });
  }

  private fulfilmentStatements(actions = [...RECEIVING, 'GetQueueAttributes', 'GetQueueUrl']): PolicyStatement[] {
    return [
      new PolicyStatement({
        actions: actions.map(action => `sqs:${action}`),
        resources: [this.fulfilmentQueue.queueArn],
      }),
      new PolicyStatement({ actions: ['kms:Decrypt'], resources: [this.key.keyArn] }),
    ];
  }

  private addFulfilmentConsumerPolicy(): ManagedPolicy {
    return new ManagedPolicy(this, 'FulfilmentConsumer', {
      description: 'Lets the fulfilment system receive and delete rental orders.',
      statements: this.fulfilmentStatements(),
    });
  }

  private addBilling({ billingEndpoint, systems }: RentalOrdersProps): RentalBilling {
    const endpoint = billingEndpoint ?? (systems ? this.addBillingStub().url : undefined);
    if (!endpoint) {
      Annotations.of(this).addWarningV2(
        'dead-letter-office:no-billing-endpoint',
        `${DEFAULT_BILLING_ENDPOINT} does not exist, so every order goes to ${this.named('Billing-DLQ')}: pass billingEndpoint.`,
      );
    }
    return new RentalBilling(this, 'Billing', {
      functionName: this.named('Billing'),
      billingEndpoint: endpoint ?? DEFAULT_BILLING_ENDPOINT,
      removalPolicy: this.removalPolicy,
    });
  }

  private addBillingStub(): BillingStub {
    return new BillingStub(this, 'BillingStub', { apiName: this.named('Billing-Stub') });
  }

  private addBillingFailures(): FunctionFailures {
    return new FunctionFailures(this, 'BillingFailures', {
      handler: this.billing.handler,
      deadLetterQueue: this.addDeadLetterQueue('BillingDlq', 'Billing-DLQ'),
      alarmActions: [this.opsTopic],
    });
  }

  private addDashboard(): OpsDashboard {
    return new OpsDashboard(this, 'Dashboard', {
      dashboardName: this.named('Orders'),
      topics: [this.topic],
      queues: [this.fulfilmentQueue],
      functions: [this.billingFailures],
    });
  }

  private subscribe(): void {
    const filterPolicy = { 'order-status': SubscriptionFilter.stringFilter({ allowlist: ACTED_ON }) };
    this.topic.deliverToQueue('Fulfilment', this.fulfilmentQueue, {
      deadLetterQueue: this.fulfilmentFanoutDeadLetterQueue,
      filterPolicy,
    });
    this.topic.deliverToFunction('Billing', this.billing.handler, {
      deadLetterQueue: this.billingFanoutDeadLetterQueue,
      filterPolicy,
    });
  }
}
