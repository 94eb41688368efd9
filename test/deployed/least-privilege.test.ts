import { readFileSync } from 'node:fs';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { DurableTopic } from '../../lib';
import { assemblyOfStack, templateFiles } from '../support/assembly';
import { feeders, operators } from '../support/grants';
import { superfluousGrants } from '../support/least-privilege';
import { CASES, type Written } from '../support/least-privilege-cases';
import { statementsOf } from '../support/statements';

/** Every permission of every case is removed in least-privilege.long.test.ts. */
describe('A grant that nothing needs', () => {
  test('is found', async () => {
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
