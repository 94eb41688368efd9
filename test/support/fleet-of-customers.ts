import { DynamoDB } from '@aws-sdk/client-dynamodb';
import { DisableRuleCommand, EnableRuleCommand, EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { KMS } from '@aws-sdk/client-kms';
import { LambdaClient, PutFunctionConcurrencyCommand } from '@aws-sdk/client-lambda';
import { SQS } from '@aws-sdk/client-sqs';
import { Duration, type Stack } from 'aws-cdk-lib';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { FleetClient } from '../../fleet';
import { DurableTopic, RelayFleet, type RelayFleetProps } from '../../lib';
import { response } from '../../local';
import type { EndpointName } from '../../policy/fleet/endpoint';
import { FLEET_SETTINGS_VARIABLE } from '../../policy/fleet/fleet-settings';
import type { Deployed } from './deployed';

const FLEET_NAME = 'hooks';

/** A topic that delivers to a fleet. */
export function addFleet(stack: Stack, props: RelayFleetProps): RelayFleet {
  const fleet = new RelayFleet(stack, 'Fleet', {
    fleetName: FLEET_NAME,
    retryPolicy: { numRetries: 12, minDelayTarget: Duration.seconds(5), maxDelayTarget: Duration.seconds(5) },
    ...props,
  });
  new DurableTopic(stack, 'Orders', { logDeliveryStatus: false }).deliverToFleet('Fleet', fleet);
  return fleet;
}

/** The same, encrypted with a key, with an encrypted topic for notices of disabled endpoints, and the roles of programs. */
export function fleetOfCustomers(stack: Stack): void {
  stack.node.setContext('@aws-cdk/aws-iam:minimizePolicies', true);
  const noticesTopic = new Topic(stack, 'Notices', { masterKey: new Key(stack, 'NoticesKey') });
  const encryptionMasterKey = new Key(stack, 'FleetMessagesKey');
  const fleet = addFleet(stack, { noticesTopic, encryptionMasterKey });
  const assumedBy = new ServicePrincipal('ec2.amazonaws.com');
  const [manager, reader, sender] = ROLES.map(role => new Role(stack, role, { assumedBy }));
  if (manager) fleet.grantManage(manager);
  if (reader) fleet.grantRead(reader);
  if (sender) fleet.grantSend(sender);
}

/** Those who work with a fleet, in a stack that has one. */
const ROLES = ['Manager', 'Reader', 'Sender'] as const;

/** The customers of a deployed fleet, each with one endpoint. */
class Customers {
  private readonly manager: FleetClient;

  constructor(private readonly deployed: Deployed) {
    this.manager = this.clientOf();
  }

  /** A client of the fleet. @param role that it acts as. @default - an administrator */
  clientOf(role?: (typeof ROLES)[number]): FleetClient {
    const { aws } = this.deployed;
    const config = aws.clientConfig(role && { role: this.deployed.arn(role) });
    const { configuration } = aws.services.lambda.functionNamed(this.deployed.name('Fleet/Prober/Function'));
    return new FleetClient({
      dynamoDb: new DynamoDB(config),
      kms: new KMS(config),
      sqs: new SQS(config),
      settings: configuration.variables[FLEET_SETTINGS_VARIABLE],
      machine: { nowMs: () => aws.nowMs, wait: async () => {} },
    });
  }

  async add(endpoint: string, client = this.manager, more: { readonly maxPerSecond?: number } = {}): Promise<void> {
    await client.put({ ...this.named(endpoint), url: `https://${endpoint}.example.com/`, types: ['paid'], ...more });
  }

  named(endpoint: string): EndpointName {
    return { tenant: 'acme', endpoint };
  }

  /** From now on, an endpoint answers with a status. */
  answering(endpoint: string, status = 200): void {
    this.deployed.aws.endpoint(`${endpoint}.example.com`).behave({ reply: response(status) });
  }

  /** Publishes an event for all customers. */
  async publish(data = '{"order":1}'): Promise<void> {
    const text = (StringValue: string) => ({ DataType: 'String', StringValue });
    await this.deployed.publish('Orders', data, { MessageAttributes: { tenant: text('acme'), type: text('paid') } });
  }
}

/** One customer takes events, one is gone, one is down for some minutes, one is removed meanwhile, and one gets a request a second. SNS may then not send any more. */
export async function useFleet(deployed: Deployed): Promise<void> {
  const customers = new Customers(deployed);
  const [manager, reader, sender] = ROLES.map(role => customers.clientOf(role));
  for (const endpoint of ['well', 'gone', 'down', 'removed']) await customers.add(endpoint, manager);
  await customers.add('paced', manager, { maxPerSecond: 1 });
  customers.answering('paced');
  customers.answering('gone', 410);
  customers.answering('down', 503);
  customers.answering('removed', 503);
  await deployed.publish('Orders', 'no event');
  await customers.publish();
  await deployed.advance({ minutes: 3 });
  for (let order = 2; order < 12; order += 1) await sender?.send({ tenant: 'acme', type: 'paid', data: { order } });
  await deployed.advance({ minutes: 2 });
  await manager?.remove(customers.named('removed'));
  await manager?.sendTest(customers.named('well'));
  customers.answering('down');
  await deployed.advance({ minutes: 15 });
  await reader?.list({ tenant: 'acme' });
  await reader?.unsettled();
  await reader?.attempts(customers.named('well'));
  await reader?.get(customers.named('well'));
  // A new client does not have the data keys yet.
  await customers.clientOf('Manager').rotateSecret(customers.named('well'));
  await manager?.list({ tenant: 'acme' });
  await manager?.unsettled();
  await manager?.enable(customers.named('gone'));
  const replayed = manager?.replay({ ...customers.named('gone'), sinceMs: 0 });
  await deployed.advance({ minutes: 10 });
  await replayed;
  await deployed.takeQueuePolicyAway('Fleet/Events');
  await customers.publish();
  await deployed.advance({ minutes: 1 });
}

/** Publishes an event each minute. */
async function publishForHalfAnHour(deployed: Deployed, customers: Customers): Promise<void> {
  for (let minute = 0; minute < 30; minute += 1) {
    await customers.publish();
    await deployed.advance({ minutes: 1 });
  }
}

/** Stops the rule that invokes the prober, or starts it again. */
async function setProber(deployed: Deployed, isOn: boolean): Promise<void> {
  const rule = { Name: deployed.ref('Fleet/EveryMinute') };
  const client = new EventBridgeClient(deployed.aws.clientConfig());
  await (isOn ? client.send(new EnableRuleCommand(rule)) : client.send(new DisableRuleCommand(rule)));
}

type Act = (deployed: Deployed) => Promise<void>;

/** What can happen to a fleet, and triggers an alarm. */
export const FLEET_LOSSES: readonly { readonly way: string; readonly act: Act; readonly later?: Act }[] = [
  {
    way: 'an endpoint of a fleet refuses a message',
    act: async deployed => {
      const customers = new Customers(deployed);
      await customers.add('picky');
      customers.answering('picky', 422);
      await customers.publish();
      await deployed.advance({ minutes: 10 });
    },
  },
  {
    way: 'most endpoints of a fleet are down',
    act: async deployed => {
      const customers = new Customers(deployed);
      for (const endpoint of ['one', 'two', 'well']) {
        await customers.add(endpoint);
        customers.answering(endpoint, endpoint === 'well' ? 200 : 503);
      }
      await publishForHalfAnHour(deployed, customers);
    },
  },
  {
    way: 'a fleet may not read its table',
    act: async deployed => {
      deployed.aws.faults.set({ service: 'dynamodb', action: 'Query' });
      await new Customers(deployed).publish();
      await deployed.advance({ minutes: 30 });
    },
  },
  {
    way: 'the table of a fleet takes no writes',
    act: async deployed => {
      const customers = new Customers(deployed);
      await customers.add('limited', undefined, { maxPerSecond: 5 });
      deployed.aws.faults.set({ service: 'dynamodb', action: 'PutItem', throttle: true });
      await customers.publish();
      await deployed.advance({ minutes: 30 });
    },
  },
  {
    way: 'the deliverer of a fleet is throttled',
    act: async deployed => {
      const customers = new Customers(deployed);
      await customers.add('well');
      const FunctionName = deployed.ref('Fleet/Deliverer/Function');
      const stopped = new PutFunctionConcurrencyCommand({ FunctionName, ReservedConcurrentExecutions: 0 });
      await new LambdaClient(deployed.aws.clientConfig()).send(stopped);
      await publishForHalfAnHour(deployed, customers);
    },
  },
  {
    way: 'the prober of a fleet is not invoked',
    act: async deployed => {
      // Its queues are idle for longer than SQS calls a queue active that is not polled.
      await setProber(deployed, false);
      await deployed.advance({ hours: 7 });
      await setProber(deployed, true);
      await deployed.advance({ minutes: 30 });
    },
    later: async deployed => {
      await setProber(deployed, false);
      await deployed.advance({ minutes: 30 });
    },
  },
];
