import { readFileSync } from 'node:fs';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { DurableTopic } from '../../lib';
import { response } from '../../local';
import { assemblyOfStack, sharedAssemblyOfStack, templateFiles } from '../support/assembly';
import type { Deployed } from '../support/deployed';
import { EXAMPLES, load } from '../support/examples';
import { feeders, operators } from '../support/grants';
import { wrongGrants } from '../support/least-privilege';
import { CASES, type Written } from '../support/least-privilege-cases';
import type { Use } from '../support/stack-use';
import { statementsOf } from '../support/statements';

/** The partners of the relays refuse an order. */
async function usePartners(deployed: Deployed): Promise<void> {
  const partners = ['partner.example.com', 'archive.example.com'].map(host => deployed.aws.endpoint(host));
  for (const partner of partners) partner.behave({ reply: response(410) });
  await deployed.publish('/Orders/OrdersTopic', 'an order');
  await deployed.advance({ minutes: 1 });
  for (const partner of partners) partner.behave();
}

/** How an example is used, in addition to how every stack is used. */
const MORE: Readonly<Record<string, Use>> = { 'relay.ts': usePartners };

/** The cases below try single actions, also those of the breaker. The constructs write the same statements in every example. */
const OURS = /^(?!DeadLetterOfficeRelayBreaker)/;

test.each(EXAMPLES)('Every grant of docs/examples/%s is needed', async file => {
  const assembly = load(file).app.synth().directory;
  const more = MORE[file];
  expect(await wrongGrants(assembly, { grain: 'statement', ours: OURS, ...(more && { more }) })).toEqual([]);
});

test.each(CASES)('Every grant of $name is needed', async ({ fill, ...trial }) => {
  expect(await wrongGrants(sharedAssemblyOfStack(fill), trial)).toEqual([]);
});

test('A grant that nothing needs is found', async () => {
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
  expect(await wrongGrants(assembly, { grain: 'statement' })).toEqual([
    expect.stringMatching(/^OrdersPolicy\w+ sns:\w+, sns:\w+ is not needed$/),
  ]);
  expect(await wrongGrants(assembly, { grain: 'action' })).toHaveLength(2);
});

/**
 * All permissions on every resource. A key policy can only name its own key as "*". Lambda needs its permission for network
 * interfaces before one exists. CloudWatch has no resource for metric data, and returns composite alarms only with a permission
 * on all resources.
 */
const EVERYWHERE =
  /^(AWS::KMS::Key kms:|AWS::IAM::(?:Policy|Role) (cloudwatch:(GetMetricData|DescribeAlarms|DescribeAlarmHistory)|ec2:(\w+NetworkInterfaces?|DescribeSubnets|(Una|A)ssignPrivateIpAddresses))$)/;

/** EventBridge sends KMS no source, so the queue policy decides which rule may send. */
const FROM_ANYWHERE = 'AWS::KMS::Key {"Service":"events.amazonaws.com"}';

/** Statements that dead-letter-feeders.test.ts and dead-letter-grants.test.ts test. */
const TRIED_ELSEWHERE: readonly Written[] = [
  { name: 'A rule and a schedule', fill: feeders },
  { name: 'Those who look after dead letters', fill: operators },
];

describe.each([...CASES, ...TRIED_ELSEWHERE])('The policies of $name', ({ fill }) => {
  const statements = templateFiles(sharedAssemblyOfStack(fill))
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
