import type { StandIn } from '../../../local/cloudformation';
import { PropertyReader } from '../../../local/cloudformation/property-reader';
import { resourceTypeNames, schemaOf } from '../../../local/cloudformation/resource-schemas';
import type { CreateContext, ResourceType } from '../../../local/cloudformation/resource-type';
import { neededProperty } from '../../../local/cloudformation/stand-ins/shapes';
import { allowsStandIns, isKnownType, standInType } from '../../../local/cloudformation/stand-ins/stand-in';
import { EXAMPLE_PLACE } from '../../../local/kernel/place';
import { Random } from '../../../local/kernel/random';
import { createResource } from '../create-resource';
import { deploy, type Json, NEVER_CHANGED, problemsOf, stack, ThingService } from './fixture';

const dependencies = (seed: string) => ({
  place: EXAMPLE_PLACE,
  random: new Random(seed),
  nowMs: () => Date.UTC(2026, 0, 1),
});

/** Creates a stand-in in a stack named `Rental`. */
const created = (type: string, properties: Json = {}, seed = 'a') =>
  createResource([standInType(type, dependencies(seed))], type, properties).created;

const CONTEXT: CreateContext = {
  logicalId: 'Thing',
  stackName: 'Rental',
  physicalName: () => 'Rental-Thing-1A2B3C',
  assetPath: () => undefined,
  takesTime: false,
};

describe('Ref and Fn::GetAtt of a stand-in', () => {
  it.each<
    [type: string, properties: Json, ref: RegExp | string, attributes: Readonly<Record<string, RegExp | string>>]
  >([
    [
      'AWS::S3::Bucket',
      {},
      /^[a-z0-9-]{3,63}$/,
      {
        Arn: /^arn:aws:s3:::[a-z0-9-]+$/,
        RegionalDomainName: /^[a-z0-9-]+\.s3\.us-east-1\.amazonaws\.com$/,
      },
    ],
    ['AWS::S3::Bucket', { BucketName: 'orders' }, 'orders', { Arn: 'arn:aws:s3:::orders' }],
    [
      'AWS::DynamoDB::Table',
      { TableName: 'Orders', KeySchema: [], StreamSpecification: { StreamViewType: 'KEYS_ONLY' } },
      'Orders',
      {
        Arn: 'arn:aws:dynamodb:us-east-1:123456789012:table/Orders',
        StreamArn: 'arn:aws:dynamodb:us-east-1:123456789012:table/Orders/stream/2026-01-01T00:00:00.000',
      },
    ],
    ['AWS::EC2::VPC', { CidrBlock: '10.0.0.0/16' }, /^vpc-[0-9a-f]{17}$/, { CidrBlock: '10.0.0.0/16' }],
    ['AWS::EC2::Subnet', { VpcId: 'vpc-1' }, /^subnet-[0-9a-f]{17}$/, { VpcId: 'vpc-1' }],
    ['AWS::EC2::EIP', {}, /^198\.51\.100\.\d\d$/, { AllocationId: /^eipalloc-[0-9a-f]{17}$/ }],
    ['AWS::EC2::NatGateway', {}, /^nat-[0-9a-f]{17}$/, {}],
    ['AWS::EC2::SecurityGroupIngress', { IpProtocol: 'tcp' }, /^sgr-[0-9a-f]{17}$/, {}],
    [
      'AWS::StepFunctions::StateMachine',
      { StateMachineName: 'Flow', RoleArn: 'r' },
      'arn:aws:states:us-east-1:123456789012:stateMachine:Flow',
      { Name: 'Flow', Arn: 'arn:aws:states:us-east-1:123456789012:stateMachine:Flow' },
    ],
    [
      'AWS::Kinesis::Stream',
      { Name: 'clicks' },
      'clicks',
      { Arn: 'arn:aws:kinesis:us-east-1:123456789012:stream/clicks' },
    ],
    [
      'AWS::Cognito::UserPool',
      {},
      /^us-east-1_[A-Z0-9]{9}$/,
      { ProviderURL: /^https:\/\/cognito-idp\.us-east-1\.amazonaws\.com\/us-east-1_[A-Z0-9]{9}$/ },
    ],
    [
      'AWS::ApiGatewayV2::Api',
      {},
      /^[a-z0-9]{10}$/,
      { ApiEndpoint: /^https:\/\/[a-z0-9]{10}\.execute-api\.us-east-1\.amazonaws\.com$/ },
    ],
    ['AWS::ApiGatewayV2::Stage', { ApiId: 'a', StageName: 'prod' }, 'prod', {}],
    [
      'AWS::ElasticLoadBalancingV2::LoadBalancer',
      { Name: 'web' },
      /^arn:aws:elasticloadbalancing:us-east-1:123456789012:loadbalancer\/app\/.+\/[0-9a-f]{16}$/,
      { DNSName: /\.us-east-1\.elb\.amazonaws\.com$/ },
    ],
    [
      'AWS::ECS::TaskDefinition',
      { Family: 'worker' },
      'arn:aws:ecs:us-east-1:123456789012:task-definition/worker:1',
      {},
    ],
    [
      'AWS::RDS::DBInstance',
      {},
      /^[a-z0-9-]+$/,
      { 'Endpoint.Port': '3306', 'Endpoint.Address': /\.rds\.amazonaws\.com$/ },
    ],
    ['AWS::RDS::DBInstance', { Port: '5432' }, /./, { 'Endpoint.Address': /./ }],
    [
      'AWS::Lambda::Url',
      { AuthType: 'NONE', TargetFunctionArn: 'f' },
      'f',
      { FunctionUrl: /^https:\/\/[a-z0-9]{32}\./ },
    ],
    [
      'AWS::ECS::Service',
      { Cluster: 'arn:aws:ecs:us-east-1:123456789012:cluster/main', ServiceName: 's' },
      'arn:aws:ecs:us-east-1:123456789012:service/main/s',
      {},
    ],
    ['AWS::ElasticLoadBalancingV2::LoadBalancer', { Type: 'network' }, /:loadbalancer\/net\/.+/, {}],
    ['AWS::RDS::DBCluster', { Engine: 'aurora-postgresql' }, /./, { 'Endpoint.Port': '5432' }],
    ['AWS::RDS::DBInstance', { Engine: 'sqlserver-ex' }, /./, { 'Endpoint.Port': '1433' }],
    ['AWS::Glue::Database', { CatalogId: '1', DatabaseInput: { Name: 'lake' } }, 'lake', {}],
    ['AWS::Glue::Table', { CatalogId: '1', DatabaseName: 'd', TableInput: { Name: 'hits' } }, 'hits', {}],
    ['AWS::Batch::JobDefinition', { Type: 'container' }, /:job-definition\/.+:1$/, {}],
    [
      'AWS::MSK::Cluster',
      { ClusterName: 'm', BrokerNodeGroupInfo: {}, KafkaVersion: '3', NumberOfBrokerNodes: 1 },
      /^arn:aws:kafka:us-east-1:123456789012:cluster\/m\/[0-9a-f-]{36}-1$/,
      {},
    ],
    ['AWS::EC2::Subnet', { VpcId: 'v' }, /./, { AvailabilityZoneId: /^use1-az1$/ }],
    [
      'AWS::Kinesis::StreamConsumer',
      { ConsumerName: 'c', StreamARN: 'arn:aws:kinesis:us-east-1:123456789012:stream/s' },
      /^arn:aws:kinesis:us-east-1:123456789012:stream\/s\/consumer\/c:\d{10}$/,
      {},
    ],
    [
      'AWS::ElasticLoadBalancingV2::LoadBalancer',
      { Type: 'network' },
      /^arn:aws:elasticloadbalancing:us-east-1:123456789012:loadbalancer\/net\/.+\/[0-9a-f]{16}$/,
      { DNSName: /^.+-[0-9a-f]{16}\.elb\.us-east-1\.amazonaws\.com$/ },
    ],
    [
      'AWS::ElasticLoadBalancingV2::Listener',
      {
        DefaultActions: [],
        LoadBalancerArn: 'arn:aws:elasticloadbalancing:us-east-1:123456789012:loadbalancer/net/n/0123456789abcdef',
      },
      /^arn:aws:elasticloadbalancing:us-east-1:123456789012:listener\/net\/n\/0123456789abcdef\/[0-9a-f]{16}$/,
      {},
    ],
    [
      'AWS::WAFv2::WebACL',
      { Name: 'acl', Scope: 'CLOUDFRONT', DefaultAction: {}, VisibilityConfig: {} },
      /^acl\|[0-9a-f-]{36}\|CLOUDFRONT$/,
      { Arn: /^arn:aws:wafv2:us-east-1:123456789012:global\/webacl\/acl\/[0-9a-f-]{36}$/ },
    ],
    [
      'AWS::AppSync::DataSource',
      { ApiId: 'api', Name: 'd', Type: 'NONE' },
      'arn:aws:appsync:us-east-1:123456789012:apis/api/datasources/d',
      {},
    ],
    [
      'AWS::AppSync::GraphQLApi',
      { Name: 'a', AuthenticationType: 'API_KEY' },
      /apis\/[a-z0-9]{26}$/,
      { RealtimeDns: /^[a-z0-9]{26}\.appsync-realtime-api\.us-east-1\.amazonaws\.com$/ },
    ],
    ['AWS::EC2::Subnet', { VpcId: 'v' }, /./, { NetworkAclAssociationId: /^aclassoc-[0-9a-f]{17}$/ }],
    [
      'AWS::AmazonMQ::Configuration',
      { Name: 'c', EngineType: 'RABBITMQ' },
      /^c-[0-9a-f-]{36}$/,
      { Arn: /^arn:aws:mq:us-east-1:123456789012:configuration:c-[0-9a-f-]{36}$/ },
    ],
    ['AWS::RDS::DBInstance', {}, /./, { DbiResourceId: /^db-[A-Z0-9]{26}$/, 'Endpoint.HostedZoneId': /^Z/ }],
    // Two identifiers, of which the template gives both.
    ['AWS::Cassandra::Table', { KeyspaceName: 'k', TableName: 't', PartitionKeyColumns: [] }, 'k|t', {}],
    // A third party's type, which the registry does not have.
    ['MongoDB::Atlas::Cluster', { Any: 1 }, /^Rental-Thing-/, {}],
  ])('%s %j', (type, properties, ref, attributes) => {
    const it = created(type, properties);
    expect(it.ref).toMatch(ref);
    if (typeof ref === 'string') expect(it.ref).toBe(ref);
    for (const [name, value] of Object.entries(attributes)) expect(it.attributes[name]).toMatch(value);
  });

  it('holds values for every attribute of every type in the registry, all of them text or lists of text', () => {
    const odd: string[] = [];
    for (const type of resourceTypeNames().filter(isKnownType)) {
      const { required = [], attributes = new Map() } = schemaOf(type) ?? {};
      const made = created(type, Object.fromEntries(required.map(name => [name, 'given'])));
      const values = { ref: made.ref, ...made.attributes, ...made.lists };
      for (const [name, value] of Object.entries(values)) {
        const texts = typeof value === 'string' ? [value] : value;
        if (texts.some(text => text === '' || /[{}]|undefined/.test(text))) odd.push(`${type} ${name} ${texts}`);
      }
      const missing = [...attributes]
        .filter(([name]) => neededProperty(type, name) === undefined)
        .filter(([name, kind]) => kind !== 'object' && !Object.hasOwn(values, name));
      odd.push(...missing.map(([name]) => `${type} ${name}`));
    }
    expect(odd).toEqual([]);
  });

  it('uses the same id in all values of a broker, a load balancer and a cluster', () => {
    const broker = { BrokerName: 'b', EngineType: 'ACTIVEMQ', DeploymentMode: 'x', HostInstanceType: 'm' };
    const { ref, attributes, lists } = created('AWS::AmazonMQ::Broker', { ...broker, PubliclyAccessible: false });
    expect(ref).toMatch(/^b-[0-9a-f-]{36}$/);
    expect(attributes['Arn']).toBe(`arn:aws:mq:us-east-1:123456789012:broker:b:${ref}`);
    expect(lists?.['OpenWireEndpoints']).toEqual([`ssl://${ref}-1.mq.us-east-1.amazonaws.com:61617`]);
    const balancer = created('AWS::ElasticLoadBalancingV2::LoadBalancer', { Type: 'network' });
    expect(balancer.attributes['DNSName']).toContain(`-${balancer.ref.split('/').at(-1)}.elb.`);
    const cluster = created('AWS::RDS::DBCluster').attributes;
    expect(cluster['ReadEndpoint.Address']).toBe(cluster['Endpoint.Address']?.replace('cluster-', 'cluster-ro-'));
  });

  it('depends only on the seed', () => {
    expect(created('AWS::EC2::VPC')).toEqual(created('AWS::EC2::VPC'));
    expect(created('AWS::EC2::VPC').ref).not.toBe(created('AWS::EC2::VPC', {}, 'b').ref);
  });
});

describe('a deployment with stand-ins', () => {
  const standIns = async (
    resources: Json,
    given: Parameters<typeof allowsStandIns>[0] = 'warn',
    types?: ResourceType[],
  ) => {
    const noted: StandIn[] = [];
    const { stacks } = await deploy([stack({ Resources: resources })], {
      allowsStandIns: allowsStandIns(given),
      noteStandIn: it => noted.push(it),
      ...(types && { types }),
    });
    return { noted, resources: stacks[0]?.resources };
  };

  const BUCKET = { Type: 'AWS::S3::Bucket', Metadata: { 'aws:cdk:path': 'App/Bucket/Resource' } };

  it('creates and lists a resource that is not simulated, and others can refer to it', async () => {
    const { noted, resources } = await standIns({
      Bucket: BUCKET,
      Zone: { Type: 'AWS::Route53::HostedZone', Properties: { Name: 'example.com' } },
      It: {
        Type: 'Test::Thing',
        Properties: {
          Value: { names: { 'Fn::GetAtt': ['Zone', 'NameServers'] }, arn: { 'Fn::GetAtt': ['Bucket', 'Arn'] } },
        },
      },
    });
    expect(noted).toEqual([
      {
        stack: 'App',
        logicalId: 'Bucket',
        type: 'AWS::S3::Bucket',
        path: 'App/Bucket/Resource',
        what: 'resource',
        reason: 'AWS::S3::Bucket is not simulated',
      },
      expect.objectContaining({ logicalId: 'Zone', what: 'resource' }),
    ]);
    expect(resources?.get('Bucket')?.ref).toMatch(/^app-bucket-[a-z0-9]{12}$/);
  });

  it('lists a property that a simulated resource does not have', async () => {
    const { noted } = await standIns(
      { It: { Type: 'Test::Thing', Properties: { Value: {}, Colour: 'red' } } },
      {
        'Test::Thing': 'warn',
      },
    );
    const reason = 'Colour is not implemented by the embedded AWS, got "red"';
    expect(noted).toMatchObject([{ logicalId: 'It', what: 'property', member: 'Colour', reason }]);
  });

  it('makes up an attribute that a simulated type has on AWS only', async () => {
    const queue: ResourceType = {
      ...NEVER_CHANGED,
      type: 'AWS::SQS::Queue',
      create: () => ({ ref: 'https://queue', attributes: {} }),
    };
    const { noted, resources } = await standIns(
      {
        Queue: { Type: 'AWS::SQS::Queue' },
        It: { Type: 'Test::Thing', Properties: { Name: { 'Fn::GetAtt': 'Queue.Arn' } } },
      },
      'warn',
      [queue, new ThingService().type],
    );
    expect(noted).toMatchObject([{ logicalId: 'Queue', what: 'attribute', member: 'Arn' }]);
    expect(resources?.get('It')?.ref).toMatch(/^arn:aws:sqs:us-east-1:123456789012:App-Queue-[A-Z0-9]{12}$/);
  });

  it('gives a table the ARN of a stream only with a StreamSpecification, and another one for another', async () => {
    const resources = {
      Table: { Type: 'AWS::DynamoDB::Table', Properties: { TableName: 't', KeySchema: [] } },
      It: { Type: 'Test::Thing', Properties: { Name: { 'Fn::GetAtt': 'Table.StreamArn' } } },
    };
    expect(await problemsOf(() => standIns(resources, 'warn', [new ThingService().type]))).toEqual([
      expect.stringContaining('asks for Table.StreamArn: the attributes of AWS::DynamoDB::Table'),
    ]);
    const type = standInType('AWS::DynamoDB::Table', { ...dependencies('a'), nowMs: () => Date.UTC(2026, 1, 1) });
    const table = (view?: string) => ({
      TableName: 't',
      KeySchema: [],
      ...(view !== undefined && { StreamSpecification: { StreamViewType: view } }),
    });
    const streamAfter = (before: Json, after: Json) => {
      const properties = new PropertyReader(before);
      const existing = { ...created('AWS::DynamoDB::Table', before), properties };
      return type.update(new PropertyReader(after), CONTEXT, existing).attributes['StreamArn']?.slice(-23);
    };
    expect(streamAfter(table('KEYS_ONLY'), table('KEYS_ONLY'))).toBe('2026-01-01T00:00:00.000');
    expect(streamAfter(table('KEYS_ONLY'), table('NEW_IMAGE'))).toBe('2026-02-01T00:00:00.000');
    expect(streamAfter(table(), table('NEW_IMAGE'))).toBe('2026-02-01T00:00:00.000');
    expect(streamAfter(table('KEYS_ONLY'), table())).toBeUndefined();
  });

  it('refuses a misspelt property of a simulated type, and lists one that AWS has', async () => {
    const queue: ResourceType = {
      ...NEVER_CHANGED,
      type: 'AWS::SQS::Queue',
      create: properties => ({ ref: properties.string('QueueName') ?? 'q', attributes: {} }),
    };
    const resources = (name: string) => ({ It: { Type: 'AWS::SQS::Queue', Properties: { [name]: '1' } } });
    expect(await problemsOf(() => standIns(resources('RedrivePolcy'), 'warn', [queue]))).toEqual([
      'App: It (AWS::SQS::Queue): RedrivePolcy is no property of AWS::SQS::Queue, got "1"',
    ]);
    const { noted } = await standIns(resources('RedrivePolicy'), 'warn', [queue]);
    expect(noted).toMatchObject([{ what: 'property', member: 'RedrivePolicy' }]);
  });

  it('stands in for a resource whose type cannot simulate one of its properties', async () => {
    const type: ResourceType = {
      ...NEVER_CHANGED,
      type: 'AWS::Kinesis::Stream',
      create: properties => {
        if (properties.string('Name') === 'a') return { ref: 'simulated', attributes: {} };
        properties.needsStandIn('Name', 'must be a', properties.string('Name'));
        return { ref: 'unused', attributes: {} };
      },
    };
    const resources = (Name: string) => ({ It: { Type: 'AWS::Kinesis::Stream', Properties: { Name } } });
    expect(await standIns(resources('a'), 'warn', [type])).toMatchObject({ noted: [] });
    const { noted, resources: made } = await standIns(resources('b'), 'warn', [type]);
    expect(noted).toMatchObject([{ what: 'resource', member: 'Name', reason: 'Name must be a, got "b"' }]);
    expect(made?.get('It')?.ref).toBe('b');
    expect(await problemsOf(() => standIns(resources('b'), 'refuse', [type]))).toEqual([
      'App: It (AWS::Kinesis::Stream): Name must be a, got "b"',
    ]);
  });

  it.each<[string, Json, Parameters<typeof allowsStandIns>[0], string]>([
    [
      'a type that is refused',
      { It: BUCKET },
      { '*': 'warn', 'AWS::S3::Bucket': 'refuse' },
      "App: App/Bucket/Resource (It, AWS::S3::Bucket): this resource type is not simulated: standIns 'warn' deploys a stand-in in its place",
    ],
    [
      'a type that does not exist',
      { It: { Type: 'AWS::S3::Bukket' } },
      'warn',
      'App: It (AWS::S3::Bukket): this resource type does not exist in CloudFormation',
    ],
    [
      'a required property that is missing',
      { It: { Type: 'AWS::Pipes::Pipe', Properties: { RoleArn: 'r', Source: 's' } } },
      'warn',
      'App: It (AWS::Pipes::Pipe): Target is required',
    ],
    [
      'an attribute that the type does not have',
      { B: BUCKET, It: { Type: 'Test::Thing', Properties: { Name: { 'Fn::GetAtt': 'B.Colour' } } } },
      'warn',
      'App: It (Test::Thing): Properties.Name: Fn::GetAtt asks for B.Colour: ' +
        'resource B does not support attribute type Colour. The attributes of AWS::S3::Bucket are Arn, DomainName',
    ],
  ])('refuses %s', async (_, resources, given, problem) => {
    const problems = await problemsOf(() => standIns(resources, given));
    expect(problems).toEqual([expect.stringContaining(problem)]);
  });
});
