import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  ReceiveMessageCommand,
} from '@aws-sdk/client-sqs';
import { CfnOutput, type Stack } from 'aws-cdk-lib';
import { AccountRootPrincipal, Role } from 'aws-cdk-lib/aws-iam';
import { startFulfilment } from '../../bin/story/fulfilment-process';
import { RentalOrders } from '../../examples/rental';
import type { Deployed } from './deployed';
import { fleetOfCustomers, useFleet } from './fleet-of-customers';
import {
  functionAndDestination,
  functionAndFailures,
  functionAndRecords,
  importedMessages,
  redriveByReplay,
  redriveByTasks,
  relayAndBreaker,
  relayAndSecrets,
  relayInVpc,
  topicAndDeliveries,
  usePartner,
  usePartnerInVpc,
  usePartnerThatIsDown,
  useReplay,
  useTasks,
  useWork,
  workAndConsumer,
} from './grants';
import type { Trial } from './least-privilege';
import { ORDER, RENTAL } from './rental';
import { assuming } from './stack-use';

export interface Written {
  readonly name: string;
  readonly fill: (stack: Stack) => void;
}

export interface Case extends Written, Trial {}

/** The rental backend, and the fulfilment system's role. */
function rental(stack: Stack): void {
  const { fulfilmentConsumerPolicy, api } = new RentalOrders(stack, 'Rental', { opsEmail: 'ops@example.com' });
  new Role(stack, 'Fulfilment', { assumedBy: new AccountRootPrincipal(), managedPolicies: [fulfilmentConsumerPolicy] });
  new CfnOutput(stack, 'OrdersUrl', { value: api.restApi.urlForPath('/orders') });
}

/** What the shop does, and then the fulfilment system. */
async function useRental(deployed: Deployed): Promise<void> {
  const { aws } = deployed;
  await aws.request('POST', aws.output('OrdersUrl'), JSON.stringify(ORDER));
  await deployed.advance({ minutes: 1 });
  const QueueUrl = deployed.ref(RENTAL.fulfilment);
  const client = await assuming(aws, deployed.arn('Fulfilment'));
  await client.send(new GetQueueUrlCommand({ QueueName: deployed.name(RENTAL.fulfilment) }));
  await client.send(new GetQueueAttributesCommand({ QueueUrl }));
  const { Messages: [held] = [] } = await client.send(new ReceiveMessageCommand({ QueueUrl }));
  const ReceiptHandle = held?.ReceiptHandle;
  await client.send(new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout: 60 }));
  await client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
}

/** The rental backend, and the instances of the fulfilment system. */
function rentalSystems(stack: Stack): void {
  const { api } = new RentalOrders(stack, 'Rental', { opsEmail: 'ops@example.com', systems: true });
  new CfnOutput(stack, 'OrdersUrl', { value: api.restApi.urlForPath('/orders') });
}

/** What the shop does, and the process of the fulfilment system, which works longer than a visibility timeout. */
async function useRentalSystems(deployed: Deployed): Promise<void> {
  const { aws } = deployed;
  const order = JSON.stringify({ ...ORDER, vehicleClass: 'electric' });
  await aws.request('POST', aws.output('OrdersUrl'), order);
  const { stop } = startFulfilment(aws, deployed.ref(RENTAL.fulfilment));
  await deployed.advance({ minutes: 10 });
  stop();
}

export const CASES: readonly Case[] = [
  {
    name: 'A topic and its deliveries',
    fill: topicAndDeliveries,
    grain: 'action',
    ours: /^(?!StreamS3DestinationRole)/,
  },
  { name: 'A function and its failures', fill: functionAndFailures, grain: 'action' },
  { name: 'A function and the records of its failures', fill: functionAndRecords, grain: 'action' },
  { name: 'A function and the destination of its failures', fill: functionAndDestination, grain: 'action' },
  { name: 'A dead-letter queue of another stack', fill: importedMessages, grain: 'action' },
  { name: 'A queue and its consumer', fill: workAndConsumer, grain: 'action', more: useWork },
  { name: 'A relay and its secrets', fill: relayAndSecrets, grain: 'action', more: usePartner },
  {
    name: 'A relay and its breaker',
    fill: relayAndBreaker,
    grain: 'action',
    more: usePartnerThatIsDown,
    onlyMore: true,
    // The permissions of a relay without a breaker are tried just above.
    ours: /^(DeadLetterOfficeRelayBreaker|RelayKey)/,
  },
  {
    name: 'A relay in a VPC',
    fill: relayInVpc,
    grain: 'action',
    more: usePartnerInVpc,
    onlyMore: true,
    // The permissions that every relay has are tried just above.
    ours: /^RelayRole\w+ (ec2:|sts:)|^RelayNoInterfaces/,
  },
  {
    name: 'A redrive by tasks of SQS',
    fill: redriveByTasks,
    grain: 'action',
    more: useTasks,
    onlyMore: true,
    ours: /^TaskRedrive/,
  },
  {
    name: 'A redrive that invokes a function',
    fill: redriveByReplay,
    grain: 'action',
    more: useReplay,
    onlyMore: true,
    ours: /^Redrive/,
  },
  {
    name: 'A fleet',
    fill: fleetOfCustomers,
    grain: 'action',
    more: useFleet,
    onlyMore: true,
    ours: /^(Fleet|Notices|Manager|Reader|Sender)/,
  },
  { name: 'RentalOrders', fill: rental, grain: 'action', more: useRental },
  {
    name: 'RentalOrders with its systems',
    fill: rentalSystems,
    grain: 'action',
    more: useRentalSystems,
    onlyMore: true,
    // The permissions of the backend are tried just above. EC2 writes the flow log of the VPC, and is not simulated.
    ours: /^RentalFulfilmentSystemRole/,
  },
];
