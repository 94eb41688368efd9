import { CfnElement, Duration, type Stack } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { Port } from 'aws-cdk-lib/aws-ec2';
import {
  AlarmDefaults,
  AlarmSet,
  DurableTopic,
  HttpRelay,
  type HttpRelayOptions,
  type HttpRelayProps,
  OpsTopic,
  RelayEndpoint,
} from '../../../lib';
import { addressProblems } from '../../../lib/relay/request-checks';
import { addressGuards } from '../../../policy/address-guard';
import { readDestination } from '../../../policy/relay/destination';
import { FORBIDDEN_HOSTS, PUBLIC_HOSTS } from '../../policy/forbidden-hosts';
import { groupIn, SUBNETS, vpcIn } from '../../support/vpc';
import { newStack, numberToken, opsTopic, templateOf, warningIds } from '../support';

/** What an alarm watches: a metric, or the metrics of an expression. */
interface Looked {
  readonly MetricName?: string;
  readonly Statistic?: string;
  readonly Period?: number;
  readonly Expression?: string;
  readonly MetricStat?: {
    readonly Metric: { readonly MetricName: string };
    readonly Stat: string;
    readonly Period: number;
  };
}

interface AlarmProperties extends Looked {
  readonly Metrics?: readonly Looked[];
  readonly Threshold: number;
  readonly EvaluationPeriods: number;
  readonly DatapointsToAlarm?: number;
}

/** The alarms of a relay, by their ids in the construct. */
function alarmsOfRelay(options: HttpRelayOptions = {}): ReadonlyMap<string, AlarmProperties> {
  const stack = newStack();
  AlarmDefaults.of(stack).use(AlarmSet.ALL);
  const alarmActions = [new OpsTopic(stack, 'Ops', { email: 'ops@example.com' })];
  const endpoint = RelayEndpoint.fromUrl('https://partner.example.com/orders');
  const relay = new HttpRelay(stack, 'Relay', { endpoint, alarmActions, ...options });
  const found = templateOf(stack).findResources('AWS::CloudWatch::Alarm');
  return new Map(
    [...relay.alarms, ...relay.queue.alarms].map(alarm => {
      const { node } = alarm;
      const logicalId = stack.getLogicalId(node.defaultChild as CfnElement);
      return [node.id, found[logicalId]?.['Properties']];
    }),
  );
}

const named = ({ MetricName, Statistic, Period }: Looked): string => `${MetricName} ${Statistic} ${Period}`;

/** Returns entries such as `Errors Sum 60`, with the period in seconds: one for each metric of an expression. */
function looksAt(alarm: AlarmProperties | undefined): readonly string[] {
  if (!alarm) return [];
  if (!alarm.Metrics) return [named(alarm)];
  const stats = alarm.Metrics.flatMap(({ MetricStat }) => MetricStat ?? []);
  return stats.map(({ Metric: { MetricName }, Stat, Period }) => named({ MetricName, Statistic: Stat, Period })).sort();
}

/** For each alarm: its metrics, its threshold, and in how many of how many periods it must be exceeded. */
const TABLE: Readonly<Record<string, readonly [readonly string[], above: number, times: number, of: number]>> = {
  FailureRateAlarm: [['Attempts Sum 300', 'FailedAttempts Sum 300'], 50, 3, 3],
  UndeliveredAlarm: [['Delivered Sum 300', 'FailedAttempts Sum 300'], 0, 5, 24],
  LatenessAlarm: [['BreakerState Maximum 300', 'Lateness Maximum 300'], 900_000, 3, 3],
  UntakenAlarm: [
    [
      'ApproximateNumberOfMessagesVisible Minimum 60',
      'NumberOfEmptyReceives Sum 60',
      'NumberOfMessagesReceived Sum 60',
    ],
    0,
    15,
    15,
  ],
  UntriedAlarm: [['Untried Sum 300'], 0, 2, 4],
  DeadLetteringFailedAlarm: [['DeadLetteringFailed Sum 300'], 0, 1, 1],
  BrokenAlarm: [['Broken Sum 300'], 0, 1, 1],
  ErrorsAlarm: [['Errors Sum 60'], 0, 1, 1],
  ThrottlesAlarm: [['Throttles Sum 300'], 0, 3, 3],
  // https://docs.aws.amazon.com/lambda/latest/dg/invocation-recursion.html
  LoopStoppedAlarm: [['RecursiveInvocationsDropped Sum 60'], 0, 1, 1],
  BreakerAlarm: [['Attempts Sum 60', 'ClientErrors Sum 60', 'Delivered Sum 60', 'FailedAttempts Sum 60'], 50, 2, 2],
  StoppedAlarm: [['BreakerState Maximum 300'], 1, 3, 6],
  HalfOpenAlarm: [['BreakerState Minimum 3600'], 0, 3, 3],
  BreakerErrorsAlarm: [['Errors Sum 300'], 0, 1, 1],
  // The length of the whole schedule with its longest delays: see the age alarm of a relay.
  AgeAlarm: [['ApproximateAgeOfOldestMessage Maximum 60'], 326_280, 1, 1],
  // https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-queues.html: two thirds of 120,000.
  InFlightAlarm: [['ApproximateNumberOfMessagesNotVisible Maximum 60'], 80_000, 1, 1],
};

describe('The alarms of a relay', () => {
  const alarms = alarmsOfRelay();

  test('are those of the table', () => {
    expect([...alarms.keys()].sort()).toEqual(Object.keys(TABLE).sort());
  });

  test.each(Object.entries(TABLE))('%s has the metric, threshold and periods of the table', (id, row) => {
    const alarm = alarms.get(id);
    const { Threshold, EvaluationPeriods, DatapointsToAlarm = EvaluationPeriods } = alarm ?? {};
    expect([looksAt(alarm), Threshold, DatapointsToAlarm, EvaluationPeriods]).toEqual(row);
    expect(alarm).toMatchObject({ ComparisonOperator: 'GreaterThanThreshold' });
  });

  test('wait longer with a schedule slower than an hour, and with a breaker that takes long to close', () => {
    const minDelayTarget = Duration.minutes(10);
    const retryPolicy = { numRetries: 5, minDelayTarget, maxDelayTarget: Duration.minutes(200) };
    const slow = alarmsOfRelay({ retryPolicy, maximumConcurrency: 1_000 });
    // Twice 200 minutes, in periods of five.
    expect(slow.get('UndeliveredAlarm')?.EvaluationPeriods).toBe(80);
    // The way back takes nine steps of ten minutes.
    expect(slow.get('HalfOpenAlarm')?.EvaluationPeriods).toBe(4);
    const maxDelayTarget = Duration.seconds(numberToken());
    const unknown = alarmsOfRelay({ retryPolicy: { ...retryPolicy, maxDelayTarget } });
    expect(unknown.get('UndeliveredAlarm')?.EvaluationPeriods).toBe(288);
  });
});

const RANGES = ['10.1.0.0/16'];
const ENDPOINT = RelayEndpoint.fromUrl('https://10.1.2.3/orders');

const INTERFACES = [
  'ec2:AssignPrivateIpAddresses',
  'ec2:CreateNetworkInterface',
  'ec2:DeleteNetworkInterface',
  'ec2:DescribeNetworkInterfaces',
  'ec2:DescribeSubnets',
  'ec2:UnassignPrivateIpAddresses',
];

const relayIn = (stack: Stack, props: Partial<HttpRelayProps> = {}) =>
  new HttpRelay(stack, 'Relay', {
    endpoint: ENDPOINT,
    allowedPrivateRanges: RANGES,
    alarmActions: [opsTopic(stack)],
    ...props,
  });

describe('A relay in a VPC', () => {
  const stack = newStack();
  const relay = relayIn(stack, { vpc: vpcIn(stack) });
  relay.handler.connections.allowToAnyIpv4(Port.tcp(8_443));
  const template = Template.fromStack(stack);
  const functionWith = (variable: string) =>
    Object.values(
      template.findResources('AWS::Lambda::Function', {
        Properties: { Environment: { Variables: { [variable]: Match.anyValue() } } },
      }),
    ).map(({ Properties }) => Properties);

  test('gets no warning', () => {
    expect(warningIds(stack)).toEqual([]);
  });

  test('has its function in the private subnets, in a security group of its own that allows all outbound traffic', () => {
    const [group = ''] = Object.keys(template.findResources('AWS::EC2::SecurityGroup'));
    expect(functionWith('RELAY_SETTINGS')).toMatchObject([
      { VpcConfig: { SubnetIds: SUBNETS, SecurityGroupIds: [{ 'Fn::GetAtt': [group, 'GroupId'] }] } },
    ]);
    template.hasResourceProperties('AWS::EC2::SecurityGroup', {
      VpcId: 'vpc-0123456789abcdef0',
      SecurityGroupEgress: [Match.objectLike({ CidrIp: '0.0.0.0/0', IpProtocol: '-1' })],
    });
  });

  test('has the function of its breaker outside', () => {
    const [breaker, ...others] = functionWith('RELAY_BREAKER_FUNCTIONS');
    expect(others).toEqual([]);
    expect(breaker).toMatchObject({ Handler: 'index.handler' });
    expect(breaker).not.toHaveProperty('VpcConfig');
  });

  test('lets Lambda manage network interfaces, and denies that to the code of the function', () => {
    const roles = Object.values(template.findResources('AWS::IAM::Role'));
    const own = Object.values(template.findResources('AWS::IAM::Policy')).map(({ Properties }) => Properties);
    const statements = [...roles.flatMap(it => it.Properties.Policies ?? []), ...own]
      .flatMap(({ PolicyDocument }) => PolicyDocument.Statement)
      .filter(({ Action }) => [Action].flat().some((action: string) => action.startsWith('ec2:')));
    const { defaultChild } = relay.handler.node;
    const logicalId = defaultChild instanceof CfnElement ? stack.getLogicalId(defaultChild) : '';
    const arn = { 'Fn::GetAtt': [logicalId, 'Arn'] };
    expect(statements).toHaveLength(2);
    expect(statements).toEqual(
      expect.arrayContaining([
        { Effect: 'Allow', Action: INTERFACES, Resource: '*' },
        {
          Effect: 'Deny',
          Action: INTERFACES,
          Resource: '*',
          Condition: { ArnEquals: { 'lambda:SourceFunctionArn': arn } },
        },
      ]),
    );
  });
});

describe('A relay', () => {
  test('has the subnets and security groups that are stated', () => {
    const stack = newStack();
    const vpc = vpcIn(stack);
    const [subnet] = vpc.privateSubnets;
    relayIn(stack, { vpc, vpcSubnets: { subnets: subnet ? [subnet] : [] }, securityGroups: [groupIn(stack)] });
    const template = Template.fromStack(stack);
    template.resourceCountIs('AWS::EC2::SecurityGroup', 0);
    template.hasResourceProperties('AWS::Lambda::Function', {
      VpcConfig: { SubnetIds: SUBNETS.slice(0, 1), SecurityGroupIds: ['sg-0123456789abcdef0'] },
    });
  });

  test('allows only the stated outbound traffic if allowAllOutbound is false', () => {
    const stack = newStack();
    relayIn(stack, { vpc: vpcIn(stack), allowAllOutbound: false }).handler.connections.allowToAnyIpv4(Port.HTTPS);
    Template.fromStack(stack).hasResourceProperties('AWS::EC2::SecurityGroup', {
      SecurityGroupEgress: [Match.objectLike({ CidrIp: '0.0.0.0/0', FromPort: 443, ToPort: 443 })],
    });
  });

  test('without a VPC has nothing of EC2, and gets a warning about private ranges that it cannot reach', () => {
    const stack = newStack();
    relayIn(stack);
    expect(warningIds(stack)).toEqual(['private-ranges-without-vpc']);
    expect(JSON.stringify(Template.fromStack(stack))).not.toMatch(/ec2:|AWS::EC2|VpcConfig/);
  });
});

describe('private addresses', () => {
  const ALL_FORBIDDEN = Object.values(FORBIDDEN_HOSTS).flat();

  const urlOf = (host: string): string => `https://${host}/orders`;

  /** Whether the handler refuses the URL when it runs. */
  function isRefusedByHandler(url: string, ranges: readonly string[] = []): boolean {
    return readDestination('endpoint', url, addressGuards(ranges), false).kind === 'refused';
  }

  /** Returns the problems that synthesis reports. */
  function problemsAt(url: string, allowedPrivateRanges: string[] = []): readonly string[] {
    return addressProblems({ endpoint: RelayEndpoint.fromUrl(url), allowedPrivateRanges }).map(({ rule }) => rule);
  }

  const REFUSAL = expect.stringMatching(/^must (be public, or|not be an address)/);

  describe('The synthesis judges an endpoint as the relay does:', () => {
    test.each(ALL_FORBIDDEN)('%s is refused', host => {
      expect(isRefusedByHandler(urlOf(host))).toBe(true);
      expect(problemsAt(urlOf(host))).toEqual([REFUSAL]);
    });

    test.each(PUBLIC_HOSTS)('%s is accepted', host => {
      expect(isRefusedByHandler(urlOf(host))).toBe(false);
      expect(problemsAt(urlOf(host))).toEqual([]);
    });

    const RANGES = ['10.0.0.0/8', '100.64.0.0/10', '192.168.0.0/16', '198.18.0.0/15', 'fd00::/8'];

    test.each(ALL_FORBIDDEN)('%s gets the same answer from both if private ranges are allowed', host => {
      expect(problemsAt(urlOf(host), RANGES)).toEqual(isRefusedByHandler(urlOf(host), RANGES) ? [REFUSAL] : []);
    });

    test.each([
      'http://8.8.8.8/orders',
      'http://198.18.0.9/orders',
      'http://10.1.2.3/orders',
      'http://hooks.example.com/',
    ])('%s over plain http gets the same answer from both', url => {
      const problems = isRefusedByHandler(url, RANGES) ? [expect.stringMatching(/^must be https/)] : [];
      expect(problemsAt(url, RANGES)).toEqual(problems);
      expect([isRefusedByHandler(url), problemsAt(url).length > 0]).toEqual([true, true]);
    });

    test('the allowed ranges open some of the addresses, and not others', () => {
      const open = ALL_FORBIDDEN.filter(host => !isRefusedByHandler(urlOf(host), RANGES));
      expect(open.length).toBeGreaterThan(10);
      expect(open.length).toBeLessThan(ALL_FORBIDDEN.length - 50);
    });
  });

  test.each(['100.64.0.1', '198.18.0.1', '[::ffff:10.0.0.1]', '[64:ff9b::7f00:1]'])(
    'A relay refuses %s, and a delivery to it gets a warning that SNS cannot reach it',
    host => {
      const stack = newStack();
      const relay = () => new HttpRelay(stack, 'Relay', { endpoint: RelayEndpoint.fromUrl(urlOf(host)) });
      expect(relay).toThrow('endpoint must');
      new DurableTopic(stack, 'Topic').deliverToEndpoint('Endpoint', urlOf(host));
      expect(warningIds(stack)).toContain('endpoint-unreachable');
    },
  );
});
