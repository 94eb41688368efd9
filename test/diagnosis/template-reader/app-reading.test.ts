import { checkInventory } from '../../../diagnosis/checks/check-inventory';
import { readTemplates } from '../../../diagnosis/template-reader/read-templates';
import { isKnown } from '../../../template/maybe-known';
import { matchesOnceDeployed } from '../../../template/stand-in';
import { inventoryOf, only, type Resources, stackWith } from './read';

describe('attached', () => {
  const PolicyDocument = { Statement: [] };
  const HERE = 'eu-west-1:123456789012';

  const KINDS: Readonly<Record<string, (name: string) => { Properties: Resources; Type: string }>> = {
    queue: name => ({
      Type: 'AWS::SQS::QueuePolicy',
      Properties: { Queues: [`https://sqs.eu-west-1.amazonaws.com/123456789012/${name}`], PolicyDocument },
    }),
    topic: name => ({
      Type: 'AWS::SNS::TopicPolicy',
      Properties: { Topics: [`arn:aws:sns:${HERE}:${name}`], PolicyDocument },
    }),
    function: name => ({
      Type: 'AWS::Lambda::Permission',
      Properties: { FunctionName: `arn:aws:lambda:${HERE}:function:${name}`, Principal: '*', Action: 'lambda:*' },
    }),
  };

  /** Whether the policy of a resource counts as known if another template writes one for this name. */
  function isPolicyKnown(kind: string, written: string, given: string | undefined): boolean {
    const named = (property: string) => (given === undefined ? {} : { [property]: given });
    const { queues, topics, functions } = inventoryOf({
      ...(kind === 'queue' && { It: { Type: 'AWS::SQS::Queue', Properties: named('QueueName') } }),
      ...(kind === 'topic' && { It: { Type: 'AWS::SNS::Topic', Properties: named('TopicName') } }),
      ...(kind === 'function' && { It: { Type: 'AWS::Lambda::Function', Properties: named('FunctionName') } }),
      Policy: KINDS[kind]?.(written),
    });
    const made = [...queues, ...topics, ...functions].filter(({ place }) => place?.logicalId === 'It');
    return isKnown(only(made).policy);
  }

  describe.each(Object.keys(KINDS))('a %s of a stack that does not tell where it goes', kind => {
    test.each<[string, string | undefined, boolean]>([
      ['may have the policy that names it in one place', 'orders', false],
      ['has not that of another', 'invoices', true],
      ['has not that of another, where AWS makes its name up', undefined, true],
    ])('%s', (_, name, isTheOther) => {
      expect(isPolicyKnown(kind, 'orders', name)).toBe(isTheOther);
    });
  });

  test('a target of a rule that has a role itself may be reached by that', () => {
    const rule = (more: Resources, target: Resources = {}) => ({
      Type: 'AWS::Events::Rule',
      Properties: { Targets: [{ Id: '0', Arn: `arn:aws:sqs:${HERE}:orders`, ...target }], ...more },
    });
    const RoleArn = 'arn:aws:iam::123456789012:role/rule';
    const unknownBecause = { unknownBecause: expect.stringContaining('role of the rule') };
    const { targets } = inventoryOf({
      None: rule({}),
      OfRule: rule({ RoleArn }),
      OfTarget: rule({ RoleArn: 'arn:aws:iam::123456789012:role/other' }, { RoleArn }),
    });
    expect(targets.map(({ roleArn }) => roleArn)).toEqual([undefined, unknownBecause, RoleArn]);
  });
});

describe('resource arns', () => {
  const GIVEN = { Ref: 'Given' };
  const TARGET = { Id: '0', Arn: 'arn:aws:sqs:eu-west-1:123456789012:orders' };

  /** The ARN of the one rule, schedule or role, of a stack with the parameter `Given`. */
  function arnOf(Type: string, Properties: Resources): string {
    const { targets, roles } = inventoryOf({ It: { Type, Properties } }, { Parameters: { Given: { Type: 'String' } } });
    return only([...targets, ...roles]).arn;
  }

  const rule = (more: Resources = {}) => arnOf('AWS::Events::Rule', { Name: 'on-order', Targets: [TARGET], ...more });
  const schedule = (more: Resources = {}) =>
    arnOf('AWS::Scheduler::Schedule', { Name: 'daily', Target: TARGET, ...more });
  const role = (more: Resources = {}) => arnOf('AWS::IAM::Role', { RoleName: 'writer', ...more });

  test('of what names no bus, group or path has AWS’s own', () => {
    expect(rule()).toBe('arn:aws:events:<region>:<account>:rule/on-order');
    expect(schedule()).toBe('arn:aws:scheduler:<region>:<account>:schedule/default/daily');
    expect(role()).toBe('arn:aws:iam::<account>:role/writer');
  });

  test('of what names one has that', () => {
    expect(rule({ EventBusName: 'orders-bus' })).toMatch(/:rule\/orders-bus\/on-order$/);
    expect(rule({ EventBusName: 'arn:aws:events:eu-west-1:123456789012:event-bus/orders-bus' })).toMatch(
      /:rule\/orders-bus\/on-order$/,
    );
    expect(schedule({ GroupName: 'nightly' })).toMatch(/:schedule\/nightly\/daily$/);
    expect(role({ Path: '/service-role/' })).toMatch(/:role\/service-role\/writer$/);
  });

  test.each([
    ['a bus', rule({ EventBusName: GIVEN }), ['rule/orders-bus/*', 'rule/on-order']],
    ['a group', schedule({ GroupName: GIVEN }), ['schedule/nightly/daily', 'schedule/default/daily']],
    ['a path', role({ Path: GIVEN }), ['role/service-role/writer', 'role/writer']],
  ])('of what a parameter gives %s may be either', (_, arn, resources) => {
    const [service] = arn.split(':<account>');
    const matches = resources.map(it => matchesOnceDeployed(`${service}:<account>:${it}`, arn));
    expect(matches).toEqual([undefined, undefined]);
  });
});

describe('alarms', () => {
  const METRIC = { Namespace: 'AWS/SQS', MetricName: 'ApproximateNumberOfMessagesVisible' };
  const UNKNOWN = { unknownBecause: expect.any(String) };

  /** The metrics of an alarm on one entry that has these members beside its metric. */
  function watchedBy(entry: Readonly<Record<string, unknown>>) {
    const MetricStat = { Metric: METRIC, Stat: 'Maximum', Period: 60 };
    const Properties = { EvaluationPeriods: 1, Metrics: [{ Id: 'm1', MetricStat, ...entry }] };
    const { alarms } = inventoryOf(
      { Alarm: { Type: 'AWS::CloudWatch::Alarm', Properties } },
      { Parameters: { Whose: { Type: 'String' } } },
    );
    return only(only(alarms).metrics);
  }

  test.each([
    ['an account', '111122223333', '111122223333'],
    ['the stack’s own', { Ref: 'AWS::AccountId' }, '<account>'],
    ['that of a parameter', { Ref: 'Whose' }, UNKNOWN],
  ])('an alarm says whose metric it watches: %s', (_, AccountId, reported) => {
    expect(watchedBy({ AccountId })).toMatchObject({ namespace: 'AWS/SQS', accountId: reported });
  });

  test('an alarm that names no account watches its own', () => {
    expect(watchedBy({})).not.toHaveProperty('accountId');
  });

  test('an alarm in one Region is not one for the queue of the same name in another', () => {
    const RedrivePolicy = { deadLetterTargetArn: { 'Fn::GetAtt': ['Dead', 'Arn'] }, maxReceiveCount: 5 };
    const Dead = { Type: 'AWS::SQS::Queue', Properties: { QueueName: 'dead', MessageRetentionPeriod: 1_209_600 } };
    const Work = { Type: 'AWS::SQS::Queue', Properties: { RedrivePolicy } };
    const Dimensions = [{ Name: 'QueueName', Value: { 'Fn::GetAtt': ['Dead', 'QueueName'] } }];
    const watching = { EvaluationPeriods: 1, ...METRIC, Dimensions, AlarmActions: ['arn:aws:sns:us-east-1:1:ops'] };
    const Alarm = { Type: 'AWS::CloudWatch::Alarm', Properties: watching };
    const at = (region: string, Resources: Resources) =>
      stackWith({ Resources }, { stackName: region, templatePath: `${region}.json`, region, account: '111122223333' });
    const app = readTemplates([at('us-east-1', { Dead, Work, Alarm }), at('eu-west-1', { Dead, Work })]);
    const found = checkInventory(app).filter(({ id }) => id === 'dead-letters-unwatched');
    expect(found.map(({ resource }) => resource.arn)).toEqual(['arn:aws:sqs:eu-west-1:111122223333:dead']);
  });
});
