import { randomBytes } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DisableRuleCommand, EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { KMSClient } from '@aws-sdk/client-kms';
import { LambdaClient, PutFunctionConcurrencyCommand } from '@aws-sdk/client-lambda';
import { Duration, type Stack } from 'aws-cdk-lib';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { Endpoints } from '../../fleet/endpoints';
import { dynamoDbCalls, kmsCalls } from '../../fleet/sdk-calls';
import { Secrets } from '../../fleet/secrets';
import { Table } from '../../fleet/table';
import { DurableTopic, RelayFleet, type RelayFleetProps } from '../../lib';
import { response } from '../../local';
import { type EndpointItem, itemKeys } from '../../policy/fleet/fleet-table';
import type { Deployed } from './deployed';

const FLEET_NAME = 'hooks';

/** A topic that delivers to a fleet. */
export function addFleet(stack: Stack, props: RelayFleetProps): void {
  const fleet = new RelayFleet(stack, 'Fleet', {
    fleetName: FLEET_NAME,
    retryPolicy: { numRetries: 12, minDelayTarget: Duration.seconds(5), maxDelayTarget: Duration.seconds(5) },
    ...props,
  });
  new DurableTopic(stack, 'Orders', { logDeliveryStatus: false }).deliverToFleet('Fleet', fleet);
}

/** The same, and an encrypted topic that is told of disabled endpoints. */
export function fleetOfCustomers(stack: Stack): void {
  stack.node.setContext('@aws-cdk/aws-iam:minimizePolicies', true);
  addFleet(stack, { noticesTopic: new Topic(stack, 'Notices', { masterKey: new Key(stack, 'NoticesKey') }) });
}

/** The customers of a deployed fleet, each with one endpoint. */
export class Customers {
  private readonly endpoints: Endpoints;
  private readonly secrets: Secrets;

  constructor(private readonly deployed: Deployed) {
    const { aws } = deployed;
    const config = aws.clientConfig();
    const table = new Table(dynamoDbCalls(new DynamoDBClient(config)), deployed.ref('Fleet/Table'), async () => {});
    const kms = kmsCalls(new KMSClient(config));
    const of = { fleetName: FLEET_NAME, keyArn: deployed.arn('Fleet/Key') };
    this.endpoints = new Endpoints(table);
    this.secrets = new Secrets({ table, kms, ...of, nowMs: () => aws.nowMs, freshBytes: randomBytes });
  }

  async add(endpoint: string): Promise<EndpointItem> {
    const name = { tenant: 'acme', endpoint };
    const secret = `whsec_${Buffer.from('a secret of twenty-four b').toString('base64')}`;
    const item: EndpointItem = {
      ...itemKeys.endpoint(name),
      ...name,
      url: `https://${endpoint}.example.com/`,
      types: ['paid'],
      secrets: [await this.secrets.encrypt(name, secret)],
      version: 1,
      createdAtMs: this.deployed.aws.nowMs,
    };
    await this.endpoints.write(undefined, item);
    return item;
  }

  async remove(item: EndpointItem): Promise<void> {
    await this.endpoints.remove(item, this.deployed.aws.nowMs);
  }

  /** The requests to an endpoint, from now on answered with a status. */
  answering(endpoint: string, status = 200) {
    const host = this.deployed.aws.endpoint(`${endpoint}.example.com`);
    host.behave({ reply: response(status) });
    return host.requests;
  }

  /** Publishes an event for all customers. */
  async publish(data = '{"order":1}'): Promise<void> {
    const text = (StringValue: string) => ({ DataType: 'String', StringValue });
    await this.deployed.publish('Orders', data, { MessageAttributes: { tenant: text('acme'), type: text('paid') } });
  }
}

/** One customer takes events, one is gone, one is down for some minutes, and one is removed meanwhile. SNS may then not send any more. */
export async function useFleet(deployed: Deployed): Promise<void> {
  const customers = new Customers(deployed);
  const [, , , removed] = [
    await customers.add('well'),
    await customers.add('gone'),
    await customers.add('down'),
    await customers.add('removed'),
  ];
  customers.answering('gone', 410);
  customers.answering('down', 503);
  customers.answering('removed', 503);
  await deployed.publish('Orders', 'no event');
  await customers.publish();
  await deployed.advance({ minutes: 3 });
  await customers.publish();
  await deployed.advance({ minutes: 2 });
  await customers.remove(removed);
  customers.answering('down');
  await deployed.advance({ minutes: 15 });
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

/** What can happen to a fleet, and triggers an alarm. */
export const FLEET_LOSSES: readonly { readonly way: string; readonly act: (deployed: Deployed) => Promise<void> }[] = [
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
      await deployed.advance({ minutes: 30 });
      const rule = new DisableRuleCommand({ Name: deployed.ref('Fleet/EveryMinute') });
      await new EventBridgeClient(deployed.aws.clientConfig()).send(rule);
      await deployed.advance({ minutes: 30 });
    },
  },
];
