import { RemovalPolicy, Stack } from 'aws-cdk-lib';
import { Alarm, AlarmRule, CompositeAlarm, Dashboard, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { EventBus, Rule } from 'aws-cdk-lib/aws-events';
import { ManagedPolicy, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { CfnAlias, Key } from 'aws-cdk-lib/aws-kms';
import { CfnFunction } from 'aws-cdk-lib/aws-lambda';
import { LogGroup, LogStream, MetricFilter, QueryDefinition, QueryString } from 'aws-cdk-lib/aws-logs';
import { CfnSchedule, CfnScheduleGroup } from 'aws-cdk-lib/aws-scheduler';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { StringParameter } from 'aws-cdk-lib/aws-ssm';
import type { Construct } from 'constructs';
import fc from 'fast-check';
import { AssemblyError, LocalAws } from '../../../local';
import type { ResourceType } from '../../../local/cloudformation';
import { physicalName } from '../../../local/cloudformation/stack-work';
import { dependencyOrder } from '../../../local/cloudformation/template';
import { AwsError } from '../../../local/kernel/aws-error';
import { EXAMPLE_PLACE, placeIn } from '../../../local/kernel/place';
import { Random } from '../../../local/kernel/random';
import { assemblyOf } from '../../support/assembly';
import { deploy, type Json, NEVER_CHANGED, problemsOf, stack, ThingService, thing } from './fixture';

describe('deploy', () => {
  describe('a deploy', () => {
    it('creates what is needed first, whatever order the template has', async () => {
      const Resources = {
        Last: thing({ x: { 'Fn::Join': ['', [{ 'Fn::GetAtt': ['Middle', 'Arn'] }]] } }),
        Free: thing({}),
        Middle: thing({ x: { 'Fn::Sub': `\${First}` } }, { DependsOn: 'Quiet' }),
        Quiet: thing({}),
        First: thing({}),
      };
      const { creations } = await deploy([stack({ Resources })]);
      expect(creations.map(({ logicalId }) => logicalId)).toEqual(['Quiet', 'First', 'Middle', 'Last', 'Free']);
    });

    it('names a circle', async () => {
      const Resources = {
        A: thing({ x: { Ref: 'B' } }),
        B: thing({ x: { 'Fn::GetAtt': 'C.Arn' } }),
        C: thing({}, { DependsOn: 'A' }),
      };
      expect(await problemsOf(() => deploy([stack({ Resources })]))).toEqual([
        'App: circular dependency between resources: A -> B -> C -> A',
      ]);
    });

    it('tells what it made, by logical id, with the path of each construct', async () => {
      const Resources = {
        Named: { Type: 'Test::Thing', Properties: { Name: 'n' }, Metadata: { 'aws:cdk:path': 'App/Named/Resource' } },
        Plain: thing({}),
        CDKMetadata: { Type: 'AWS::CDK::Metadata', Properties: { Analytics: 'v2' } },
      };
      const Outputs = { Arn: { Value: { 'Fn::GetAtt': ['Named', 'Arn'] }, Description: 'x' }, Size: { Value: 5 } };
      const [deployed] = (await deploy([stack({ Resources, Outputs }, { paths: new Map([['Plain', 'App/Plain']]) })]))
        .stacks;
      expect(deployed?.name).toBe('App');
      expect(deployed?.outputs).toEqual({ Arn: 'arn:aws:test:us-east-1:123456789012:n', Size: '5' });
      expect([...(deployed?.resources ?? [])]).toEqual([
        [
          'Named',
          {
            type: 'Test::Thing',
            ref: 'n',
            path: 'App/Named/Resource',
            attributes: { Arn: 'arn:aws:test:us-east-1:123456789012:n', List: 'a,b,c' },
          },
        ],
        ['Plain', expect.objectContaining({ type: 'Test::Thing', path: 'App/Plain' })],
      ]);
    });

    it('hands values from stack to stack', async () => {
      const producer = stack(
        {
          Resources: { It: { Type: 'Test::Thing', Properties: { Name: 'n' } } },
          Outputs: { O: { Value: { Ref: 'It' }, Export: { Name: { 'Fn::Sub': `\${AWS::StackName}:It` } } } },
        },
        { name: 'Producer' },
      );
      const consumer = stack(
        { Resources: { Its: thing({ x: { 'Fn::ImportValue': 'Producer:It' } }) } },
        { name: 'Consumer' },
      );
      expect((await deploy([producer, consumer])).creations[1]?.value).toEqual({ x: 'n' });
      expect(await problemsOf(() => deploy([consumer, producer]))).toEqual([
        'Consumer: Its (Test::Thing): Properties.Value.x: Fn::ImportValue finds no export Producer:It in the stacks deployed before this one',
      ]);
      expect(
        await problemsOf(() =>
          deploy([
            producer,
            {
              ...producer,
              name: 'Twin',
              template: { ...producer.template, Outputs: { O: { Value: '1', Export: { Name: 'Producer:It' } } } },
            },
          ]),
        ),
      ).toEqual(['Twin: another stack already exports Producer:It']);
    });

    // https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/intrinsic-function-reference-getstackoutput.html
    it('hands outputs from stack to stack that nobody exports', async () => {
      const producer = stack(
        {
          Resources: { It: { Type: 'Test::Thing', Properties: { Name: 'n' } } },
          Outputs: { O: { Value: { Ref: 'It' } } },
        },
        { name: 'Producer' },
      );
      const consuming = (more: Json, name = 'Consumer') => {
        const x = { 'Fn::GetStackOutput': { StackName: 'Producer', OutputName: 'O', ...more } };
        return stack({ Resources: { Its: thing({ x }) } }, { name });
      };
      const consumer = consuming({ Region: { Ref: 'AWS::Region' } });
      const { creations } = await deploy([producer, consumer, consuming({}, 'Another')]);
      expect(creations.slice(1).map(({ value }) => value)).toEqual([{ x: 'n' }, { x: 'n' }]);

      const complaint = async (...stacks: Parameters<typeof deploy>[0]) => {
        const [problem] = await problemsOf(() => deploy(stacks));
        return problem?.replace(/^Consumer: Its \(Test::Thing\): Properties\.Value\.x: Fn::GetStackOutput /, '');
      };
      expect(await complaint(consumer, producer)).toBe(
        'finds no output O of a stack Producer in us-east-1 deployed before this one',
      );
      expect(await complaint(producer, consuming({ OutputName: 'P' }))).toBe(
        'finds no output P of a stack Producer deployed before this one',
      );
      expect(await complaint(producer, consuming({ Region: 'eu-west-1' }))).toBe(
        'finds no output O of a stack Producer in eu-west-1 deployed before this one',
      );
      expect(await complaint(producer, consuming({ RoleArn: 'arn:aws:iam::111122223333:role/reader' }))).toBe(
        'has RoleArn, which is not implemented here',
      );
      expect(await complaint(producer, consuming({ StackName: ['Producer'] }))).toBe(
        'takes a StackName, an OutputName and optionally a Region, got {"StackName":["Producer"],"OutputName":"O"}',
      );
    });

    it('leads from the S3 key of a function to its bundle', async () => {
      const found: (string | undefined)[] = [];
      const code: ResourceType = {
        ...NEVER_CHANGED,
        type: 'Test::Code',
        create(properties, { logicalId, assetPath }) {
          found.push(assetPath(properties.requiredString('S3Key')));
          return { ref: logicalId, attributes: {} };
        },
      };
      const Resources = {
        A: { Type: 'Test::Code', Properties: { S3Key: 'abc.zip' } },
        B: { Type: 'Test::Code', Properties: { S3Key: 'gone.zip' } },
      };
      await deploy([stack({ Resources }, { assets: new Map([['abc.zip', '/out/asset.abc']]) })], { types: [code] });
      expect(found).toEqual(['/out/asset.abc', undefined]);
    });
  });

  describe('what a template asks for and is not there', () => {
    it('is all told at once, over all stacks, before anything is created', async () => {
      const created: string[] = [];
      const counting: ResourceType = {
        ...NEVER_CHANGED,
        type: 'Test::Thing',
        create: (_, { logicalId }) => {
          created.push(logicalId);
          return { ref: logicalId, attributes: {} };
        },
      };
      const first = stack(
        {
          Transform: 'AWS::Serverless-2016-10-31',
          Hooks: {},
          Resources: {
            Fine: thing({}),
            Bucket: { Type: 'AWS::S3::Bucket', Metadata: { 'aws:cdk:path': 'First/Bucket/Resource' } },
            Odd: thing({ x: [{ 'Fn::Length': [1] }] }, { CreationPolicy: {} }),
            Lost: thing({}, { DependsOn: 'Gone' }),
            Typeless: { Properties: {} },
          },
          Outputs: { NoValue: {}, BadExport: { Value: '1', Export: 'x' } },
        },
        { name: 'First' },
      );
      const second = stack(
        { Resources: { Db: { Type: 'AWS::RDS::DBInstance' } } },
        { name: 'Second', paths: new Map([['Db', 'Second/Db']]) },
      );
      const NOT_SIMULATED = "this resource type is not simulated: standIns 'warn' deploys a stand-in in its place";
      expect(await problemsOf(() => deploy([first, second], { types: [counting] }))).toEqual([
        'First: section Transform is not implemented by the embedded AWS, got "AWS::Serverless-2016-10-31": deploy the template without macros, which "aws cloudformation get-template --template-stage Processed" prints',
        'First: section Hooks is not implemented by the embedded AWS, got {}',
        'First: Typeless: Type is required, got {"Properties":{}}',
        'First: Odd (Test::Thing): Properties.Value.x[0]: Fn::Length is not implemented here, got {"Fn::Length":[1]}',
        'First: Lost (Test::Thing): DependsOn names Gone, which the template does not declare',
        'First: Outputs.NoValue: Value is required',
        'First: Outputs.BadExport: Export.Name must be a string',
        `First: First/Bucket/Resource (Bucket, AWS::S3::Bucket): ${NOT_SIMULATED}`,
        `Second: Second/Db (Db, AWS::RDS::DBInstance): ${NOT_SIMULATED}`,
      ]);
      expect(created).toEqual([]);
    });

    it('in properties is all told at once too, and what depends on a failure is not blamed', async () => {
      const property = (Properties: Json) => ({ Type: 'Test::Thing', Properties });
      const Resources = {
        Unread: property({ Colour: 'red', Tags: [], Value: {} }),
        Wrong: property({ Size: 11 }),
        Refused: property({ Fail: 'the service says no', Unreached: 1 }),
        Depends: thing({ x: { Ref: 'Refused' } }),
        WrongAndRefused: property({ Size: 'big', Fail: 'because of it' }),
      };
      const Outputs = { O: { Value: { Ref: 'Refused' }, Export: { Name: 'O' } }, L: { Value: ['a'] } };
      const importing = stack(
        { Resources: { I: thing({ x: { 'Fn::ImportValue': 'O' } }), J: property({ Shape: 'round' }) } },
        { name: 'Next' },
      );
      expect(await problemsOf(() => deploy([stack({ Resources, Outputs }), importing]))).toEqual([
        'App: Unread (Test::Thing): Colour is not implemented by the embedded AWS, got "red"',
        'App: Wrong (Test::Thing): Size must be 10 or less, got 11',
        'App: Refused (Test::Thing): Refused: the service says no',
        'App: WrongAndRefused (Test::Thing): Size must be a number, got "big"',
        'App: Outputs.L.Value must be a string, got ["a"]',
        'Next: J (Test::Thing): Shape is not implemented by the embedded AWS, got "round"',
      ]);
    });

    it('is told once: what is refused because of it is not, but what is wrong by itself is', async () => {
      const refusing: ResourceType = {
        ...NEVER_CHANGED,
        type: 'Test::Refusing',
        create(properties) {
          properties.string('Name');
          properties.attempt('Name', () => {
            throw new AwsError('NotThere', 'what I need is not there');
          });
          throw new AwsError('NotThere', 'what I need is not there');
        },
      };
      const property = (Type: string, Properties: Json, DependsOn?: string) => ({
        Type,
        Properties,
        ...(DependsOn && { DependsOn }),
      });
      const Resources = {
        First: property('Test::Thing', { Colour: 'red' }),
        Follows: property('Test::Refusing', { Name: 'x' }, 'First'),
        FollowsThat: property('Test::Thing', { Fail: 'because of it' }, 'Follows'),
        WrongByItself: property('Test::Thing', { Shape: 'round' }, 'First'),
        Alone: property('Test::Refusing', { Name: 'x' }),
      };
      const types = [new ThingService().type, refusing];
      expect(await problemsOf(() => deploy([stack({ Resources })], { types }))).toEqual([
        'App: First (Test::Thing): Colour is not implemented by the embedded AWS, got "red"',
        'App: WrongByItself (Test::Thing): Shape is not implemented by the embedded AWS, got "round"',
        'App: Alone (Test::Refusing): Name is refused (NotThere: what I need is not there), got "x"',
      ]);
    });

    it('is never an excuse for a mistake of ours', async () => {
      const broken: ResourceType = {
        ...NEVER_CHANGED,
        type: 'Test::Thing',
        create() {
          throw new TypeError('a mistake in a resource type');
        },
      };
      const deploying = deploy([stack({ Resources: { It: thing({}) } })], { types: [broken] });
      await expect(deploying).rejects.toThrow(TypeError);
    });

    it('includes another account or Region than the one the world plays in', async () => {
      const elsewhere = stack({ Resources: {} }, { environment: { account: '111111111111', region: 'eu-west-1' } });
      expect(await problemsOf(() => deploy([elsewhere]))).toEqual([
        'App: is for account 111111111111, but this simulation runs in 123456789012',
        'App: is for region eu-west-1, but this simulation runs in us-east-1',
      ]);
      const { stacks } = await deploy([elsewhere], { types: [], place: placeIn('111111111111', 'eu-west-1') });
      expect(stacks).toHaveLength(1);
    });
  });

  describe('a physical name', () => {
    it('is the stack, the logical id and a suffix that stays the same whatever else is in the template', async () => {
      const name = async (resources: Json) =>
        (await deploy([stack({ Resources: { ...resources, Queue: thing({}) } })])).creations.find(
          it => it.logicalId === 'Queue',
        )?.name;
      expect(await name({})).toMatch(/^App-Queue-[A-Z0-9]{12}$/);
      expect(await name({ Another: thing({}) })).toBe(await name({}));
    });

    it('differs from seed to seed', async () => {
      const name = async (seed: string) =>
        (await deploy([stack({ Resources: { Q: thing({}) } })], { random: new Random(seed) })).creations[0]?.name;
      expect(await name('a')).not.toBe(await name('b'));
    });

    it.each<[string, string, number | undefined, string]>([
      ['App', 'Queue', undefined, 'App-Queue-SUFFIX'],
      ['App', 'Queue', 16, 'App-Queue-SUFFIX'],
      ['AVeryLongStackName', 'Queue', 21, 'AVeryLon-Queue-SUFFIX'],
      ['App', 'AVeryLongLogicalId', 21, 'App-AVeryLongL-SUFFIX'],
      ['AVeryLongStackName', 'AVeryLongLogicalId', 28, 'AVeryLongS-AVeryLongL-SUFFIX'],
    ])('of %s and %s within %s characters is %s', (stackName, logicalId, maxLength, expected) => {
      expect(physicalName(stackName, logicalId, 'SUFFIX', maxLength)).toBe(expected);
    });

    it('never exceeds its limit and keeps its suffix', () => {
      const text = fc.string({ unit: fc.constantFrom('A', 'b', '1'), minLength: 1, maxLength: 128 });
      fc.assert(
        fc.property(text, text, fc.integer({ min: 16, max: 128 }), (stackName, logicalId, maxLength) => {
          const name = physicalName(stackName, logicalId, 'ABCDEFGHIJKL', maxLength);
          expect(name.length).toBeLessThanOrEqual(maxLength);
          expect(name).toMatch(/^[Ab1]+-[Ab1]+-ABCDEFGHIJKL$/);
        }),
      );
    });
  });

  describe('an order of dependencies', () => {
    /** Each number may need smaller ones only, so there is never a circle. */
    const graphs = fc
      .array(fc.array(fc.nat(), { maxLength: 3 }), { minLength: 1, maxLength: 12 })
      .map(list => new Map(list.map((needs, i) => [String(i), new Set(i === 0 ? [] : needs.map(n => String(n % i)))])));

    it('has everything once, after what it needs', () => {
      fc.assert(
        fc.property(graphs, needs => {
          const sorted = dependencyOrder(new Map([...needs].reverse()));
          const order = 'order' in sorted ? sorted.order : [];
          expect([...order].sort()).toEqual([...needs.keys()].sort());
          for (const [id, needed] of needs) {
            for (const one of needed) expect(order.indexOf(one)).toBeLessThan(order.indexOf(id));
          }
        }),
      );
    });
  });

  it('places in China and in GovCloud have their own partitions', () => {
    expect(placeIn('1', 'cn-north-1')).toMatchObject({ partition: 'aws-cn', urlSuffix: 'amazonaws.com.cn' });
    expect(placeIn('1', 'us-gov-west-1')).toMatchObject({ partition: 'aws-us-gov', urlSuffix: 'amazonaws.com' });
    expect(placeIn(EXAMPLE_PLACE.account, EXAMPLE_PLACE.region)).toEqual(EXAMPLE_PLACE);
  });
});

describe('taken names', () => {
  const lateness = new Metric({ namespace: 'Shop', metricName: 'Lateness' });

  const alarm = (scope: Construct, alarmName: string) =>
    new Alarm(scope, 'Alarm', { alarmName, metric: lateness, threshold: 1, evaluationPeriods: 1 });

  async function problemsOf(fill: (stack: Stack) => void, fillSecond = fill): Promise<readonly string[]> {
    const assembly = assemblyOf(app => {
      const first = new Stack(app, 'First');
      fill(first);
      const second = new Stack(app, 'Second');
      second.node.addDependency(first);
      fillSecond(second);
    });
    const deployed = await LocalAws.deploy(assembly).catch((error: unknown) => error);
    if (deployed instanceof AssemblyError) return deployed.problems;
    if (!(deployed instanceof LocalAws)) throw deployed;
    await deployed.close();
    return [];
  }

  const taken = (type: string, identifier: string): string =>
    `Resource of type '${type}' with identifier '${identifier}' already exists.`;

  test.each<[string, (stack: Stack) => unknown, string]>([
    ['an alarm', stack => alarm(stack, 'late'), taken('AWS::CloudWatch::Alarm', 'late')],
    [
      'a composite alarm',
      stack => new CompositeAlarm(stack, 'Any', { compositeAlarmName: 'any', alarmRule: AlarmRule.fromBoolean(true) }),
      taken('AWS::CloudWatch::CompositeAlarm', 'any'),
    ],
    [
      'a dashboard',
      stack => new Dashboard(stack, 'Ops', { dashboardName: 'Ops' }),
      taken('AWS::CloudWatch::Dashboard', 'Ops'),
    ],
    [
      'a rule',
      stack => new Rule(stack, 'Rule', { ruleName: 'nightly', eventPattern: { source: ['shop'] } }),
      taken('AWS::Events::Rule', 'nightly'),
    ],
    ['an event bus', stack => new EventBus(stack, 'Bus', { eventBusName: 'shop' }), 'Event bus shop already exists.'],
    ['a queue', stack => new Queue(stack, 'Queue', { queueName: 'orders' }), taken('AWS::SQS::Queue', 'orders')],
    ['a topic', stack => new Topic(stack, 'Topic', { topicName: 'orders' }), taken('AWS::SNS::Topic', 'orders')],
    [
      'a log group',
      stack => new LogGroup(stack, 'Logs', { logGroupName: '/shop', removalPolicy: RemovalPolicy.DESTROY }),
      taken('AWS::Logs::LogGroup', '{"/properties/LogGroupName":"/shop"}'),
    ],
    [
      'a log stream',
      stack =>
        new LogStream(stack, 'Stream', {
          logGroup: stack.stackName === 'First' ? new LogGroup(stack, 'G', { logGroupName: '/g' }) : imported(stack),
          logStreamName: 's',
        }),
      'The specified log stream already exists',
    ],
    [
      'a metric filter',
      stack =>
        new MetricFilter(stack, 'Filter', {
          logGroup: stack.stackName === 'First' ? new LogGroup(stack, 'G', { logGroupName: '/g' }) : imported(stack),
          filterName: 'errors',
          filterPattern: { logPatternString: 'ERROR' },
          metricNamespace: 'Shop',
          metricName: 'Errors',
        }),
      taken('AWS::Logs::MetricFilter', '{"/properties/LogGroupName":"/g","/properties/FilterName":"errors"}'),
    ],
    [
      'a function',
      stack =>
        new CfnFunction(stack, 'Function', {
          functionName: 'f',
          role: role(stack).roleArn,
          code: { zipFile: 'exports.handler = async () => {};' },
          handler: 'index.handler',
          runtime: 'nodejs22.x',
        }),
      'Function already exist: f',
    ],
    [
      'a schedule',
      stack =>
        new CfnSchedule(stack, 'Schedule', {
          name: 'nightly',
          scheduleExpression: 'rate(1 day)',
          flexibleTimeWindow: { mode: 'OFF' },
          target: { arn: new Queue(stack, 'Target').queueArn, roleArn: role(stack, 'scheduler.amazonaws.com').roleArn },
        }),
      'Schedule nightly already exists.',
    ],
    [
      'a schedule group',
      stack => new CfnScheduleGroup(stack, 'Group', { name: 'nights' }),
      'Schedule group nights already exists.',
    ],
    [
      'a role',
      stack => new Role(stack, 'Role', { roleName: 'r', assumedBy: new ServicePrincipal('lambda.amazonaws.com') }),
      'Role with name r already exists.',
    ],
    [
      'a managed policy',
      stack =>
        new ManagedPolicy(stack, 'Policy', {
          managedPolicyName: 'p',
          statements: [new PolicyStatement({ actions: ['sqs:*'], resources: ['*'] })],
        }),
      'A policy called p already exists. Duplicate names are not allowed.',
    ],
    [
      'an alias of a key',
      stack => new CfnAlias(stack, 'Alias', { aliasName: 'alias/a', targetKeyId: new Key(stack, 'Key').keyId }),
      'An alias with the name arn:aws:kms:us-east-1:123456789012:alias/a already exists',
    ],
    [
      'a secret',
      stack => new Secret(stack, 'Secret', { secretName: 's' }),
      'The operation failed because the secret s already exists.',
    ],
    [
      'a parameter',
      stack => new StringParameter(stack, 'Parameter', { parameterName: '/p', stringValue: 'v' }),
      'The parameter already exists.',
    ],
  ])('CloudFormation refuses to create %s whose name another stack has taken', async (_, fill, text) => {
    expect(await problemsOf(fill)).toEqual([
      expect.stringMatching(new RegExp(`^Second.*${text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')}`)),
    ]);
  });

  test('a metric alarm and a composite one share their names', async () => {
    const composite = (stack: Stack): void => {
      new CompositeAlarm(stack, 'Any', { compositeAlarmName: 'late', alarmRule: AlarmRule.fromBoolean(true) });
    };
    expect(await problemsOf(stack => void alarm(stack, 'late'), composite)).toEqual([
      expect.stringContaining(taken('AWS::CloudWatch::CompositeAlarm', 'late')),
    ]);
  });

  test('rules of one name on two buses, query definitions of one name, and what CloudFormation names are created', async () => {
    const fill = (stack: Stack): void => {
      const bus = new EventBus(stack, 'Bus', { eventBusName: stack.stackName });
      new Rule(stack, 'Rule', { eventBus: bus, ruleName: 'nightly', eventPattern: { source: ['shop'] } });
      // The CloudFormation handler of this type overwrites: aws-cloudformation-resource-providers-logs, aws-logs-querydefinition.
      new QueryDefinition(stack, 'Query', {
        queryDefinitionName: 'errors',
        queryString: new QueryString({ fields: ['@message'] }),
      });
      new Alarm(stack, 'Alarm', { metric: lateness, threshold: 1, evaluationPeriods: 1 });
      new Queue(stack, 'Queue');
    };
    expect(await problemsOf(fill)).toEqual([]);
  });

  const imported = (stack: Stack) => LogGroup.fromLogGroupName(stack, 'G', '/g');

  const role = (stack: Stack, service = 'lambda.amazonaws.com') =>
    new Role(stack, 'Role', { assumedBy: new ServicePrincipal(service) });
});
