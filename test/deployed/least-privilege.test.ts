import { readFileSync } from 'node:fs';
import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  ReceiveMessageCommand,
} from '@aws-sdk/client-sqs';
import { CfnOutput, type Stack } from 'aws-cdk-lib';
import { AccountRootPrincipal, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { RentalOrders } from '../../examples/rental';
import { DurableTopic } from '../../lib';
import { assemblyOfStack, templateFiles } from '../support/assembly';
import type { Deployed } from '../support/deployed';
import { assuming, attempt } from '../support/everyday-use';
import {
  feeders,
  functionAndDestination,
  functionAndFailures,
  functionAndRecords,
  importedMessages,
  operators,
  redriveByReplay,
  redriveByTasks,
  relayAndBreaker,
  relayAndSecrets,
  relayInVpc,
  topicAndDeliveries,
  usePartner,
  usePartnerThatIsDown,
  useReplay,
  useTasks,
  useWork,
  workAndConsumer,
} from '../support/grants';
import { grantsToTry, superfluousGrants, type Trial } from '../support/least-privilege';
import { ORDER, RENTAL } from '../support/rental';
import { statementsOf } from '../support/statements';

interface Written {
  readonly name: string;
  readonly fill: (stack: Stack) => void;
}

interface Case extends Written, Trial {}

/** The rental backend, and the fulfilment system's role. */
function rental(stack: Stack): void {
  const { fulfilmentConsumerPolicy, api } = new RentalOrders(stack, 'Rental', { opsEmail: 'ops@example.com' });
  new Role(stack, 'Fulfilment', { assumedBy: new AccountRootPrincipal(), managedPolicies: [fulfilmentConsumerPolicy] });
  new CfnOutput(stack, 'OrdersUrl', { value: api.restApi.urlForPath('/orders') });
}

/** What the shop does, and then the fulfilment system, which has one message in its hands already. */
async function useRental(deployed: Deployed): Promise<readonly string[]> {
  const { aws, sqs } = deployed;
  const posted = [];
  for (let i = 0; i < 2; i += 1) {
    posted.push((await aws.request('POST', aws.output('OrdersUrl'), JSON.stringify(ORDER))).status);
  }
  await deployed.advance({ minutes: 1 });
  const QueueUrl = deployed.ref(RENTAL.fulfilment);
  const { Messages: [held] = [] } = await sqs.send(new ReceiveMessageCommand({ QueueUrl }));
  const ReceiptHandle = held?.ReceiptHandle;
  const client = await assuming(aws, deployed.arn('Fulfilment'));
  return [
    `the shop is answered ${posted}`,
    await attempt('find', () => client.send(new GetQueueUrlCommand({ QueueName: deployed.name(RENTAL.fulfilment) }))),
    await attempt('count', () => client.send(new GetQueueAttributesCommand({ QueueUrl }))),
    await attempt('receive', () => client.send(new ReceiveMessageCommand({ QueueUrl }))),
    await attempt('extend', () =>
      client.send(new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout: 60 })),
    ),
    await attempt('delete', () => client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }))),
  ];
}

const CASES: readonly Case[] = [
  {
    name: 'A topic and its deliveries',
    fill: topicAndDeliveries,
    grain: 'action',
    notOurs: /^StreamS3DestinationRole/,
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
    // What a relay has without a breaker is tried just above.
    notOurs: /^(?!RelayBreaker|RelayKey)/,
  },
  {
    name: 'A relay in a VPC',
    fill: relayInVpc,
    grain: 'action',
    // What a relay has anywhere is tried just above.
    notOurs: /^(?!RelayRole|RelayNoInterfaces)/,
  },
  {
    name: 'A redrive by tasks of SQS',
    fill: redriveByTasks,
    grain: 'action',
    more: useTasks,
    notOurs: /^(?!TaskRedrive)/,
  },
  {
    name: 'A redrive that invokes a function',
    fill: redriveByReplay,
    grain: 'action',
    more: useReplay,
    notOurs: /^(?!Redrive)/,
  },
  { name: 'RentalOrders', fill: rental, grain: 'action', more: useRental },
];

describe.each(CASES)('Whatever is taken away of $name, somebody misses it', ({ fill, ...trial }) => {
  test.each(grantsToTry(assemblyOfStack(fill), trial))('$grant', async ({ because, isMissed }) => {
    expect(await isMissed()).toBe(because === undefined);
  });
});

describe('Whatever is taken away, somebody misses it,', () => {
  test('but not what nobody needs', async () => {
    const assembly = assemblyOfStack(stack => {
      const topic = new DurableTopic(stack, 'Orders', { logDeliveryStatus: false });
      topic.addToResourcePolicy(
        new PolicyStatement({
          actions: ['sns:Publish', 'sns:GetTopicAttributes'],
          resources: [topic.topicArn],
          principals: [new ServicePrincipal('budgets.amazonaws.com')],
        }),
      );
    });
    expect(await superfluousGrants(assembly, { grain: 'statement' })).toEqual([
      expect.stringMatching(/^OrdersPolicy\w+ sns:Publish, sns:GetTopicAttributes$/),
    ]);
    expect(await superfluousGrants(assembly, { grain: 'action' })).toHaveLength(2);
  });
});

/**
 * All that is allowed on every resource: a key's policy has no other way to say "this key", Lambda asks for network
 * interfaces before there is one, and CloudWatch knows no resource for the data of metrics, and tells of composite alarms only
 * by such a permission.
 */
const EVERYWHERE =
  /^(AWS::KMS::Key kms:|AWS::IAM::Policy (cloudwatch:(GetMetricData|DescribeAlarms|DescribeAlarmHistory)|ec2:(\w+NetworkInterfaces?|DescribeSubnets|(Una|A)ssignPrivateIpAddresses))$)/;

/** EventBridge tells KMS nothing of a source; which rule may send is for the queue's policy to say. */
const FROM_ANYWHERE = 'AWS::KMS::Key {"Service":"events.amazonaws.com"}';

/** What is tried in dead-letter-feeders.test.ts and dead-letter-grants.test.ts. */
const TRIED_ELSEWHERE: readonly Written[] = [
  { name: 'A rule and a schedule', fill: feeders },
  { name: 'Those who look after dead letters', fill: operators },
];

describe.each([...CASES, ...TRIED_ELSEWHERE])('The policies of $name', ({ fill }) => {
  const statements = templateFiles(assemblyOfStack(fill))
    .flatMap(file => statementsOf(JSON.parse(readFileSync(file, 'utf8'))))
    .filter(({ statement }) => statement.Effect === 'Allow');

  test('allow nothing on every resource but what AWS forces', () => {
    const everywhere = statements
      .filter(({ statement }) => [statement.Resource].flat().includes('*'))
      .flatMap(({ resourceType, statement }) => [statement.Action].flat().map(action => `${resourceType} ${action}`));
    expect(everywhere.length).toBeGreaterThan(0);
    expect(everywhere.filter(grant => !EVERYWHERE.test(grant))).toEqual([]);
  });

  test('let everybody in on a condition only', () => {
    const open = statements.filter(({ statement: { Principal } }) => JSON.stringify(Principal)?.includes('"*"'));
    expect(open.filter(({ statement: { Condition } }) => Condition === undefined)).toEqual([]);
  });

  test('let a service in for the sources of one account or resource, wherever AWS says which', () => {
    const services = statements.filter(
      ({ resourceType, statement: { Principal, Condition } }) =>
        resourceType !== 'AWS::IAM::Role' && JSON.stringify(Principal)?.includes('"Service"') && !Condition,
    );
    const letIn = services.map(
      ({ resourceType, statement: { Principal } }) => `${resourceType} ${JSON.stringify(Principal)}`,
    );
    expect(letIn.filter(it => it !== FROM_ANYWHERE)).toEqual([]);
  });
});
