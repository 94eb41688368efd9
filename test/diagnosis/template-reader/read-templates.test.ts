import fc from 'fast-check';
import { checkInventory } from '../../../diagnosis/checks/check-inventory';
import { readableFindings } from '../../../diagnosis/checks/check-stages';
import type { Resource } from '../../../diagnosis/inventory/inventory';
import { readTemplates } from '../../../diagnosis/template-reader/read-templates';
import { parseObject } from '../../../policy/json-members';
import type { NestedTemplate, ReadTemplate, TemplateStack } from '../../../template/template-stack';
import { inventoryOf, only, type Resources, stackWith } from './read';

describe('stacks', () => {
  const DEAD = { Type: 'AWS::SQS::Queue', Properties: { QueueName: 'dead' } };
  const DEAD_ARN = { 'Fn::GetAtt': ['Dead', 'Arn'] };
  const sourceOf = (deadLetterTargetArn: unknown) => ({
    Type: 'AWS::SQS::Queue',
    Properties: { RedrivePolicy: { deadLetterTargetArn, maxReceiveCount: 3 } },
  });
  const HERE = { account: '123456789012', region: 'eu-south-1' };

  describe('stacks that are read together', () => {
    const ARN = 'arn:aws:sqs:<region>:<account>:dead';

    test.each([
      ['an export', { 'Fn::ImportValue': 'Letters:Dead' }],
      ['an output', { 'Fn::GetStackOutput': { StackName: 'Letters', OutputName: 'Dead' } }],
    ])('hand each other ARNs by %s', (_, argument) => {
      const Outputs = {
        Dead: { Value: DEAD_ARN, Export: { Name: { 'Fn::Join': [':', [{ Ref: 'AWS::StackName' }, 'Dead']] } } },
      };
      const { queues } = readTemplates([
        stackWith({ Resources: { Orders: sourceOf(argument) } }),
        stackWith({ Resources: { Dead: DEAD }, Outputs }, { stackName: 'Letters' }),
      ]);
      expect(queues.map(({ arn, redrivePolicy }) => [arn, redrivePolicy])).toEqual([
        ['arn:aws:sqs:<region>:<account>:<Test.Orders>', { deadLetterTargetArn: ARN, maxReceiveCount: 3 }],
        [ARN, undefined],
      ]);
    });

    test('do not tell what nobody among them exports', () => {
      const { queues } = inventoryOf({ Orders: sourceOf({ 'Fn::ImportValue': 'Elsewhere' }) });
      expect(only(queues).redrivePolicy).toEqual({
        deadLetterTargetArn: { unknownBecause: expect.stringContaining('names the export Elsewhere') },
        maxReceiveCount: 3,
      });
    });

    test('may import from each other in a circle without end', () => {
      const Outputs = { Out: { Value: { 'Fn::ImportValue': 'Round' }, Export: { Name: 'Round' } } };
      const { queues } = inventoryOf({ Orders: sourceOf({ 'Fn::ImportValue': 'Round' }) }, { Outputs });
      expect(only(queues).redrivePolicy).toMatchObject({ deadLetterTargetArn: { unknownBecause: expect.any(String) } });
    });

    test('say where they go, where all go to one place', () => {
      const one = stackWith({ Resources: { Dead: DEAD } }, HERE);
      const other = stackWith({}, { ...HERE, region: 'eu-west-1' });
      expect(readTemplates([one])).toMatchObject({ partition: 'aws', ...HERE, isComplete: false });
      expect(only(readTemplates([one]).queues).arn).toBe('arn:aws:sqs:eu-south-1:123456789012:dead');
      const unknownBecause = { unknownBecause: 'differs: the stacks are for several Regions' };
      expect(readTemplates([one, other])).toMatchObject({ account: HERE.account, region: unknownBecause });
    });

    test.each([
      ['cn-north-1', 'arn:aws-cn:sqs:cn-north-1:<account>:dead'],
      ['us-gov-west-1', 'arn:aws-us-gov:sqs:us-gov-west-1:<account>:dead'],
      ['unknown-region', 'arn:aws:sqs:<region>:<account>:dead'],
    ])('have the ARNs of %s', (region, arn) => {
      expect(only(readTemplates([stackWith({ Resources: { Dead: DEAD } }, { region })]).queues).arn).toBe(arn);
    });

    test('decide their conditions by the Region they go to', () => {
      const Conditions = { InMilan: { 'Fn::Equals': [{ Ref: 'AWS::Region' }, 'eu-south-1'] } };
      const template = { Resources: { Dead: { ...DEAD, Condition: 'InMilan' } }, Conditions };
      expect(readTemplates([stackWith(template, HERE)]).queues).toHaveLength(1);
      expect(readTemplates([stackWith(template, { region: 'eu-west-1' })]).queues).toHaveLength(0);
      expect(readTemplates([stackWith(template)]).queues).toHaveLength(1);
    });

    test('choose by a condition that is known, and do not tell by one that is not', () => {
      const Conditions = { Known: { 'Fn::Equals': ['a', 'a'] }, Open: { 'Fn::Equals': [{ Ref: 'P' }, 'a'] } };
      const retention = (condition: string) =>
        only(
          inventoryOf(
            {
              Q: { Type: 'AWS::SQS::Queue', Properties: { MessageRetentionPeriod: { 'Fn::If': [condition, 60, 90] } } },
            },
            { Conditions, Parameters: { P: { Type: 'String', Default: 'a' } } },
          ).queues,
        ).retentionSeconds;
      expect(retention('Known')).toBe(60);
      expect(retention('Open')).toEqual({ unknownBecause: expect.stringContaining('condition') });
    });
  });

  describe('stacks that nest', () => {
    const nested: ReadTemplate = {
      template: {
        Parameters: { DeadArn: { Type: 'String' } },
        Resources: { Orders: sourceOf({ Ref: 'DeadArn' }) },
        Outputs: { Url: { Value: { Ref: 'Orders' } } },
      },
      templatePath: 'Nested.json',
    };
    const Nested = {
      Type: 'AWS::CloudFormation::Stack',
      Properties: { TemplateURL: 'https://s3/bucket/abc.json', Parameters: { DeadArn: DEAD_ARN } },
    };
    const Policy = {
      Type: 'AWS::SQS::QueuePolicy',
      Properties: { Queues: [{ 'Fn::GetAtt': ['Nested', 'Outputs.Url'] }], PolicyDocument: { Statement: [] } },
    };

    test('are given parameters, and give outputs', () => {
      const asked: unknown[] = [];
      const read = ({ templateUrl }: NestedTemplate) => {
        asked.push(templateUrl);
        return nested;
      };
      const stack = stackWith({ Resources: { Dead: DEAD, Nested, Policy } }, { nested: read });
      const { queues, unread } = readTemplates([stack]);
      const orders = queues.find(({ name }) => name === 'Orders');
      expect(orders).toMatchObject({
        arn: 'arn:aws:sqs:<region>:<account>:<Test.Nested.Orders>',
        redrivePolicy: { deadLetterTargetArn: 'arn:aws:sqs:<region>:<account>:dead' },
        policy: { Statement: [] },
        place: { stack: 'Test.Nested', templatePath: 'Nested.json' },
      });
      expect(asked).toEqual(['https://s3/bucket/abc.json']);
      expect(unread).toBeUndefined();
    });

    test('are given what other stacks export', () => {
      const Parameters = { DeadArn: { 'Fn::ImportValue': 'Dead' } };
      const importing = (stackName: string) =>
        stackWith(
          { Resources: { Nested: { ...Nested, Properties: { ...Nested.Properties, Parameters } } } },
          { stackName, nested: () => nested },
        );
      const Outputs = { Dead: { Value: DEAD_ARN, Export: { Name: 'Dead' } } };
      const exporting = stackWith({ Resources: { Dead: DEAD }, Outputs }, { stackName: 'Letters' });
      const { queues } = readTemplates([importing('One'), importing('Two'), exporting]);
      const given = { deadLetterTargetArn: 'arn:aws:sqs:<region>:<account>:dead', maxReceiveCount: 3 };
      expect(queues.map(({ redrivePolicy }) => redrivePolicy)).toEqual([given, given, undefined]);
    });

    test.each<[string, Readonly<Record<string, unknown>>]>([
      ['its address by itself', { TemplateURL: { 'Fn::GetAtt': ['Nested', 'Outputs.Url'] } }],
      ['a parameter by itself', { Parameters: { DeadArn: { 'Fn::GetAtt': ['Nested', 'Outputs.Url'] } } }],
    ])('may be given %s without end', (_, Properties) => {
      const { queues } = readTemplates([
        stackWith({ Resources: { Nested: { ...Nested, Properties } } }, { nested: () => nested }),
      ]);
      expect(only(queues).redrivePolicy).toMatchObject({ deadLetterTargetArn: { unknownBecause: expect.any(String) } });
    });

    test('may nest in themselves without end', () => {
      const round: ReadTemplate = { template: { Resources: { Nested, Dead: DEAD } }, templatePath: 'Round.json' };
      const { queues, unread } = readTemplates([
        stackWith({ Resources: { Nested } }, { nested: () => ({ ...round, nested: () => round }) }),
      ]);
      expect(queues).toHaveLength(1);
      expect(unread).toHaveLength(1);
    });

    test('are told of where they cannot be read', () => {
      expect(inventoryOf({ Dead: DEAD, Nested }).unread).toEqual([
        'A nested stack in Test is not read: the assembly has no template in JSON.',
      ]);
    });
  });

  test.each([
    [
      'AWS::Serverless-2016-10-31',
      'Test is not read: CloudFormation creates its resources at deployment, by the SAM transform',
    ],
    [
      ['Ours', 'AWS::LanguageExtensions'],
      'Test is not read: CloudFormation changes it at deployment, by Ours and AWS::LanguageExtensions',
    ],
    [
      { Name: 'AWS::Include', Parameters: { Location: 's3://bucket/file' } },
      'Test is not read: CloudFormation changes it at deployment, by AWS::Include',
    ],
  ])('a template with the transform %j is not read, which is said', (Transform, says) => {
    const { queues, unread } = inventoryOf({ Dead: DEAD }, { Transform });
    expect(queues).toEqual([]);
    expect(unread).toEqual([expect.stringContaining(says)]);
  });

  test.each<[string, Readonly<Record<string, unknown>>]>([
    ['among its properties', { Properties: { RedrivePolicy: {}, 'Fn::Transform': { Name: 'AWS::Include' } } }],
    ['beside them', { Properties: { RedrivePolicy: {} }, 'Fn::Transform': { Name: 'AWS::Include' } }],
  ])('nothing is told of the properties of a resource with a macro %s', (_, declared) => {
    const unknownBecause = { unknownBecause: expect.stringContaining('Fn::Transform') };
    const { queues, topics } = inventoryOf({
      Queue: { Type: 'AWS::SQS::Queue', ...declared },
      Topic: { Type: 'AWS::SNS::Topic', ...declared },
    });
    expect(only(queues)).toMatchObject({
      arn: 'arn:aws:sqs:<region>:<account>:<QueueName of Test.Queue>',
      visibilityTimeoutSeconds: unknownBecause,
      redrivePolicy: { unknownBecause: expect.any(String) },
    });
    expect(only(topics)).toMatchObject({ keyId: unknownBecause, unknownProperties: [] });
  });

  test('a template of which a macro makes resources is not read, which is said', () => {
    const { queues, unread } = inventoryOf({ Dead: DEAD, 'Fn::ForEach::Queues': ['Id', ['A', 'B'], {}] });
    expect([queues, unread]).toEqual([
      [],
      [expect.stringContaining('changes it at deployment, by Fn::ForEach::Queues')],
    ]);
  });
});

describe('twins', () => {
  const resource = (Type: string, Properties: Resources, more: Resources = {}) => ({ Type, Properties, ...more });
  const ARN_OF = (id: string) => ({ 'Fn::GetAtt': [id, 'Arn'] });
  const SEND = { Statement: [{ Effect: 'Allow', Principal: { Service: 'sns.amazonaws.com' }, Action: 'sqs:*' }] };

  const allowed = (Sid: string) => ({ Statement: [{ Sid, Effect: 'Allow', Action: 'sqs:*', Resource: '*' }] });

  /** A service's stack: a queue that a function reads, and a dead-letter queue. All but one resource have explicit names. */
  function service(stackName: string, Timeout: number, more: Resources = {}, where: Partial<TemplateStack> = {}) {
    const Resources = {
      Dead: resource('AWS::SQS::Queue', { QueueName: 'dead', MessageRetentionPeriod: 1_209_600 }),
      Orders: resource('AWS::SQS::Queue', {
        QueueName: 'orders',
        VisibilityTimeout: Timeout * 6,
        RedrivePolicy: { deadLetterTargetArn: ARN_OF('Dead'), maxReceiveCount: 5 },
      }),
      Policy: resource('AWS::SQS::QueuePolicy', { Queues: [{ Ref: 'Orders' }], PolicyDocument: SEND }),
      Role: resource('AWS::IAM::Role', { RoleName: 'bill' }),
      RolePolicy: resource('AWS::IAM::Policy', { Roles: [{ Ref: 'Role' }], PolicyDocument: allowed(stackName) }),
      Bill: resource('AWS::Lambda::Function', { FunctionName: 'bill', Timeout, Role: ARN_OF('Role') }),
      Mapping: resource('AWS::Lambda::EventSourceMapping', {
        FunctionName: { Ref: 'Bill' },
        EventSourceArn: ARN_OF('Orders'),
      }),
      ...more,
    };
    const Outputs = {
      Dead: { Value: ARN_OF('Dead'), Export: { Name: { 'Fn::Join': ['', [{ Ref: 'AWS::StackName' }, ':Dead']] } } },
    };
    return stackWith({ Resources, Outputs }, { stackName, templatePath: `${stackName}.json`, ...where });
  }

  const importing = (stackName: string, from: string) =>
    stackWith(
      {
        Resources: {
          More: resource('AWS::SQS::Queue', {
            RedrivePolicy: { deadLetterTargetArn: { 'Fn::ImportValue': `${from}:Dead` }, maxReceiveCount: 5 },
          }),
        },
      },
      { stackName },
    );

  /** An ARN in the stack's own Region and account. */
  const hereNamed = (name: string) => ({
    'Fn::Join': [':', ['arn:aws:sqs', { Ref: 'AWS::Region' }, { Ref: 'AWS::AccountId' }, name]],
  });

  const tooShort = (stacks: readonly TemplateStack[]) =>
    checkInventory(readTemplates(stacks))
      .filter(({ id }) => id === 'visibility-too-short')
      .map(({ resource: { place } }) => place?.stack);

  describe('stacks with resources of the same names, which do not tell where they go', () => {
    test('go to different places', () => {
      const { queues, functions, roles } = readTemplates([service('dev', 3), service('prod', 60)]);
      expect(queues.map(({ arn }) => arn)).toEqual([
        'arn:aws:sqs:<region of dev>:<account of dev>:dead',
        'arn:aws:sqs:<region of dev>:<account of dev>:orders',
        'arn:aws:sqs:<region of prod>:<account of prod>:dead',
        'arn:aws:sqs:<region of prod>:<account of prod>:orders',
      ]);
      expect(queues.map(({ policy }) => policy)).toEqual([undefined, SEND, undefined, SEND]);
      expect(functions.map(({ roleArn }) => roleArn)).toEqual(roles.map(({ arn }) => arn));
      expect(roles.map(({ policies }) => policies)).toEqual([[allowed('dev')], [allowed('prod')]]);
    });

    test('are each judged by what is its own', () => {
      expect(tooShort([service('dev', 3), service('prod', 60)])).toEqual([]);
      const slow = { Bill: resource('AWS::Lambda::Function', { FunctionName: 'bill', Timeout: 600 }) };
      expect(tooShort([service('dev', 3), service('prod', 60, slow)])).toEqual(['prod']);
    });

    test('take those with them that import from them', () => {
      const stacks = [service('dev', 3), service('prod', 60), importing('a', 'prod'), importing('b', 'a')];
      const { queues } = readTemplates(stacks);
      const [ofA, ofB] = queues.filter(({ place }) => place?.logicalId === 'More');
      expect(ofA).toMatchObject({
        arn: 'arn:aws:sqs:<region of prod>:<account of prod>:<a.More>',
        redrivePolicy: { deadLetterTargetArn: 'arn:aws:sqs:<region of prod>:<account of prod>:dead' },
      });
      expect(ofB?.arn).toBe('arn:aws:sqs:<region>:<account>:<b.More>');
    });

    test('are told apart too where they have one name', () => {
      const { queues } = readTemplates([service('it', 3), service('it', 60)]);
      const [one, other] = queues.filter(({ place }) => place?.logicalId === 'Dead');
      expect([one?.arn, other?.arn]).toEqual([
        'arn:aws:sqs:<region of it 1>:<account of it 1>:dead',
        'arn:aws:sqs:<region of it 2>:<account of it 2>:dead',
      ]);
    });

    test('are together where only one of them may be made', () => {
      const Dead = resource('AWS::SQS::Queue', { QueueName: 'dead' }, { Condition: 'Open' });
      const Conditions = { Open: { 'Fn::Equals': [{ Ref: 'Kind' }, 'one'] } };
      const Parameters = { Kind: { Type: 'String' } };
      const conditional = (stackName: string) =>
        stackWith({ Resources: { Dead }, Conditions, Parameters }, { stackName });
      const { queues } = readTemplates([conditional('one'), conditional('other')]);
      expect(queues.map(({ arn }) => arn)).toEqual(Array(2).fill('arn:aws:sqs:<region>:<account>:dead'));
    });

    test('may be where a stack beside them is', () => {
      const shared = stackWith(
        {
          Resources: {
            Topic: resource('AWS::SNS::Topic', { TopicName: 'orders' }),
            Subscription: resource('AWS::SNS::Subscription', {
              TopicArn: { Ref: 'Topic' },
              Protocol: 'sqs',
              Endpoint: hereNamed('orders'),
              RedrivePolicy: { deadLetterTargetArn: hereNamed('dead') },
            }),
          },
        },
        { stackName: 'shared' },
      );
      const findings = checkInventory(readTemplates([service('dev', 3), service('prod', 60), shared]));
      expect(findings.filter(({ severity }) => severity === 'rejected' || severity === 'loses')).toEqual([]);
    });

    test('are as they say where they do tell', () => {
      const [one, other] = ['111122223333', '444455556666'].map(account => ({ account, region: 'eu-west-1' }));
      const { queues } = readTemplates([service('dev', 3, {}, one), service('prod', 60, {}, other)]);
      expect(queues.map(({ arn }) => arn)).toContain('arn:aws:sqs:eu-west-1:111122223333:dead');
    });
  });

  test('of a name that several stacks export, which is meant is not told', () => {
    const exporting = (stackName: string) => {
      const Outputs = { Dead: { Value: ARN_OF('Dead'), Export: { Name: 'it:Dead' } } };
      return stackWith({ Resources: { Dead: resource('AWS::SQS::Queue', {}) }, Outputs }, { stackName });
    };
    const { queues } = readTemplates([exporting('one'), exporting('other'), importing('more', 'it')]);
    expect(queues.find(({ redrivePolicy }) => redrivePolicy !== undefined)).toMatchObject({
      redrivePolicy: { deadLetterTargetArn: { unknownBecause: expect.stringContaining('it:Dead') } },
    });
  });
});

describe('odd templates', () => {
  /** Includes names of members that every JavaScript object has. */
  const IDS = ['A', 'B', 'C', 'constructor', 'toString', '__proto__', 'hasOwnProperty'];

  const TYPES = [
    'AWS::SNS::Topic',
    'AWS::SNS::Subscription',
    'AWS::SNS::TopicPolicy',
    'AWS::SQS::Queue',
    'AWS::SQS::QueuePolicy',
    'AWS::Lambda::Function',
    'AWS::Lambda::Alias',
    'AWS::Lambda::Permission',
    'AWS::Lambda::EventInvokeConfig',
    'AWS::Lambda::EventSourceMapping',
    'AWS::Events::Rule',
    'AWS::Scheduler::Schedule',
    'AWS::CloudWatch::Alarm',
    'AWS::CloudWatch::CompositeAlarm',
    'AWS::KMS::Key',
    'AWS::KMS::Alias',
    'AWS::IAM::Role',
    'AWS::IAM::Policy',
    'AWS::CloudFormation::Stack',
    'Custom::TopicDeliveryPolicy',
    'constructor',
  ];

  const PROPERTIES = [
    ...['QueueName', 'FifoQueue', 'RedrivePolicy', 'RedriveAllowPolicy', 'KmsMasterKeyId', 'Queues', 'PolicyDocument'],
    ...['TopicName', 'TopicArn', 'Topics', 'Subscription', 'Protocol', 'Endpoint', 'DeliveryPolicy', 'FilterPolicy'],
    ...['DeliveryStatusLogging', 'FunctionName', 'Role', 'DeadLetterConfig', 'DestinationConfig', 'Qualifier', 'Name'],
    ...['EventSourceArn', 'FunctionResponseTypes', 'Principal', 'Action', 'SourceArn', 'Targets', 'Target', 'RoleArn'],
    ...['EventBusName', 'GroupName', 'Path', 'Namespace', 'MetricName', 'Metrics', 'Dimensions', 'AlarmActions'],
    ...['AlarmRule', 'AliasName', 'TargetKeyId', 'KeyPolicy', 'RoleName', 'Roles', 'Policies', 'ManagedPolicyArns'],
    ...['TemplateURL', 'Parameters', 'Fn::Transform', 'Statement', 'Arn', 'Value', 'MetricStat', 'constructor'],
    ...['deadLetterTargetArn', 'maxReceiveCount', 'MessageRetentionPeriod', 'Timeout', 'Condition', 'Effect'],
  ];

  const INTRINSICS = [
    ...['Ref', 'Fn::GetAtt', 'Fn::Sub', 'Fn::Join', 'Fn::Select', 'Fn::Split', 'Fn::Base64', 'Fn::FindInMap', 'Fn::If'],
    ...['Fn::ImportValue', 'Fn::GetStackOutput', 'Fn::GetAZs', 'Fn::And', 'Fn::Or', 'Fn::Not', 'Fn::Equals', 'Fn::Odd'],
  ];

  const placeholder = (name: string) => `\${${name}}`;

  const TEXTS = [
    '',
    ',',
    'Arn',
    'Outputs.A',
    placeholder('A'),
    placeholder('A.Arn') + placeholder('!B'),
    '{"a":',
    '{"Statement":[{}]}',
    'arn:aws:sqs:::a',
    '*',
  ];

  const ids = fc.constantFrom(...IDS);
  const texts = fc.oneof(ids, fc.constantFrom(...TEXTS, 'AWS::NoValue', 'AWS::Region', 'sqs', 'sns.amazonaws.com'));

  const { value: values } = fc.letrec(tie => ({
    value: fc.oneof(
      { maxDepth: 4, depthSize: 'small' },
      texts,
      fc.constantFrom(null, true, false, 0, -1, 1e300, 'true'),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom(...PROPERTIES), tie('value'), { maxKeys: 3 }),
      fc.tuple(fc.constantFrom(...INTRINSICS), tie('value')).map(([name, argument]) => ({ [name]: argument })),
      ids.map(id => ({ 'Fn::GetAtt': [id, 'Arn'] })),
      ids.map(id => ({ Ref: id })),
    ),
  }));

  const sections = fc.dictionary(ids, values, { maxKeys: 3 });
  const resources = fc.record(
    {
      Type: fc.constantFrom(...TYPES),
      Properties: fc.oneof(
        { arbitrary: fc.dictionary(fc.constantFrom(...PROPERTIES), values, { maxKeys: 8 }), weight: 9 },
        values,
      ),
      Condition: ids,
      DependsOn: values,
      Metadata: values,
    },
    { requiredKeys: ['Type'] },
  );

  const templates = fc.record(
    {
      Resources: fc.oneof(
        { arbitrary: fc.dictionary(ids, fc.oneof({ arbitrary: resources, weight: 9 }, values)), weight: 9 },
        values,
      ),
      Parameters: sections,
      Mappings: sections,
      Conditions: sections,
      Outputs: fc.oneof(
        sections,
        fc.dictionary(ids, fc.record({ Value: values, Export: fc.record({ Name: values }) })),
      ),
    },
    { requiredKeys: ['Resources'] },
  );

  test('templates that CloudFormation would refuse are read as far as they go, and never end in an error', () => {
    fc.assert(
      fc.property(fc.tuple(templates, templates, templates), made => {
        const [one = {}, other = {}, nested = {}] = made.map(it => parseObject(JSON.stringify(it)) ?? {});
        const within = () => ({ template: nested, templatePath: 'Nested.json', nested: () => undefined });
        const inventory = readTemplates([
          stackWith(one, { nested: within, parameters: { A: 'given' } }),
          stackWith(other, { stackName: 'Other', nested: within, region: 'eu-west-1' }),
        ]);
        const findings = readableFindings(checkInventory(inventory), inventory);
        const read: readonly Resource[] = [...inventory.queues, ...inventory.topics, ...inventory.functions];
        const places = read.map(({ place }) => place?.logicalId);
        expect(IDS).toEqual(expect.arrayContaining(places));
        expect(findings.every(({ says, resource }) => says !== '' && resource.place !== undefined)).toBe(true);
      }),
      { seed: 7, numRuns: 500 },
    );
  });
});

describe('names', () => {
  const topicAt = (path: string) =>
    inventoryOf({ Topic: { Type: 'AWS::SNS::Topic', Properties: {}, Metadata: { 'aws:cdk:path': path } } });

  test.each([
    ['a construct’s path', 'Shop/Orders/Resource', 'Shop/Orders'],
    [
      'a URL without what is secret in it',
      'Shop/Orders/https:----user:secret@partner.example.com--orders?key=secret#1/Resource',
      'Shop/Orders/https:----partner.example.com--orders',
    ],
    [
      'a URL in which nothing is secret',
      'Shop/http:----partner.example.com/Resource',
      'Shop/http:----partner.example.com',
    ],
  ])('what a template has is named by %s', (_, path, name) => {
    expect(only(topicAt(path).topics).name).toBe(name);
  });

  test('and by its logical id where the template tells no path', () => {
    expect(only(inventoryOf({ Topic: { Type: 'AWS::SNS::Topic', Properties: {} } }).topics).name).toBe('Topic');
  });
});
