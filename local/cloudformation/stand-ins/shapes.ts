import { ownMember } from '../../../policy/json-members';
import { scalarText } from '../../../template/values';
import type { JsonObject } from '../../kernel/json';

/**
 * The forms of values that the registry's schemas do not give: ids, ARNs and host names. In a form,
 * - `{hex:17}` is that many random digits: `hex`, `digits`, `lower` (letters and digits) or `upper`; `{uuid}` is a random UUID
 * - `{region}`, `{account}`, `{partition}`, `{suffix}` (of host names) are those of the simulation, `{now}` is the time, and
 *   `{streamlabel}` the time as in the ARN of a table's stream
 * - `{name}` is a name as CloudFormation creates it, `{lowername}` one in lower case
 * - `{Other}` is another property or attribute of the resource
 */
export type Form = string | readonly string[];

/** Forms by attribute or identifier. */
type Forms = Readonly<Record<string, Form>>;

/**
 * Prefixes of EC2's ids, by the resource's name in lower case.
 *
 * @see https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/resource-ids.html
 */
const EC2_PREFIXES: Readonly<Record<string, string>> = {
  capacityreservation: 'cr',
  carriergateway: 'cagw',
  customergateway: 'cgw',
  dhcpoptions: 'dopt',
  ec2fleet: 'fleet',
  egressonlyinternetgateway: 'eigw',
  eipassociation: 'eipassoc',
  flowlog: 'fl',
  instance: 'i',
  internetgateway: 'igw',
  launchtemplate: 'lt',
  natgateway: 'nat',
  networkacl: 'acl',
  networkinterface: 'eni',
  networkinterfaceattachment: 'eni-attach',
  prefixlist: 'pl',
  routetable: 'rtb',
  securitygroup: 'sg',
  securitygroupegress: 'sgr',
  securitygroupingress: 'sgr',
  subnet: 'subnet',
  subnetnetworkaclassociation: 'aclassoc',
  subnetroutetableassociation: 'rtbassoc',
  transitgateway: 'tgw',
  transitgatewayattachment: 'tgw-attach',
  transitgatewayroutetable: 'tgw-rtb',
  volume: 'vol',
  vpc: 'vpc',
  vpccidrblock: 'vpc-cidr-assoc',
  vpcendpoint: 'vpce',
  vpcendpointservice: 'vpce-svc',
  vpcpeeringconnection: 'pcx',
  vpnconnection: 'vpn',
  vpngateway: 'vgw',
};

const wafForms = (kind: string): Forms => ({
  Id: '{uuid}',
  Arn: `arn:{partition}:wafv2:{region}:{account}:{wafscope}/${kind}/{Name}/{Id}`,
  LabelNamespace: `awswaf:{account}:${kind}:{Name}:`,
});

/**
 * Forms by resource type. What is missing is made from the schema and from the attribute's name. Names that are no attributes
 * (`BalancerId`) are parts of several.
 */
const FORMS: Readonly<Record<string, Forms>> = {
  'AWS::ApplicationAutoScaling::ScalingPolicy': {
    Arn: 'arn:{partition}:autoscaling:{region}:{account}:scalingPolicy:{uuid}:resource/{ServiceNamespace}/{ResourceId}:policyName/{PolicyName}',
  },
  'AWS::ApiGateway::DomainName': {
    DistributionDomainName: 'd{lower:13}.cloudfront.net',
    DistributionHostedZoneId: 'Z2FDTNDATAQYW2',
    RegionalDomainName: 'd-{lower:10}.execute-api.{region}.{suffix}',
    RegionalHostedZoneId: 'Z{upper:13}',
  },
  'AWS::ApiGatewayV2::Api': {
    ApiEndpoint: 'https://{ApiId}.execute-api.{region}.{suffix}',
    ExecuteApiArn: 'arn:{partition}:execute-api:{region}:{account}:{ApiId}',
  },
  'AWS::AmazonMQ::Broker': {
    Id: 'b-{uuid}',
    Arn: 'arn:{partition}:mq:{region}:{account}:broker:{BrokerName}:{Id}',
    ConfigurationId: 'c-{uuid}',
    BrokerHost: '{Id}{brokernode}.mq.{region}.{suffix}',
    AmqpEndpoints: ['amqps://{BrokerHost}:5671'],
    ConsoleURLs: ['https://{BrokerHost}{consoleport}'],
    IpAddresses: ['10.0.0.1{digits:1}'],
    MqttEndpoints: ['mqtt+ssl://{BrokerHost}:8883'],
    OpenWireEndpoints: ['ssl://{BrokerHost}:61617'],
    StompEndpoints: ['stomp+ssl://{BrokerHost}:61614'],
    WssEndpoints: ['wss://{BrokerHost}:61619'],
  },
  'AWS::AmazonMQ::Configuration': { Id: 'c-{uuid}', Arn: 'arn:{partition}:mq:{region}:{account}:configuration:{Id}' },
  'AWS::AppSync::ApiKey': {
    ApiKey: 'da2-{lower:26}',
    ApiKeyId: 'da2-{lower:26}',
    Arn: 'arn:{partition}:appsync:{region}:{account}:apis/{ApiId}/apikey/{ApiKeyId}',
  },
  'AWS::AppSync::DataSource': {
    DataSourceArn: 'arn:{partition}:appsync:{region}:{account}:apis/{ApiId}/datasources/{Name}',
  },
  'AWS::AppSync::GraphQLApi': {
    ApiId: '{lower:26}',
    Arn: 'arn:{partition}:appsync:{region}:{account}:apis/{ApiId}',
    GraphQLDns: '{ApiId}.appsync-api.{region}.{suffix}',
    GraphQLUrl: 'https://{ApiId}.appsync-api.{region}.{suffix}/graphql',
    RealtimeDns: '{ApiId}.appsync-realtime-api.{region}.{suffix}',
    RealtimeUrl: 'wss://{ApiId}.appsync-realtime-api.{region}.{suffix}/graphql',
  },
  'AWS::Batch::JobDefinition': {
    JobDefinitionArn: 'arn:{partition}:batch:{region}:{account}:job-definition/{JobDefinitionName}:1',
  },
  'AWS::CertificateManager::Certificate': {
    CertificateArn: 'arn:{partition}:acm:{region}:{account}:certificate/{uuid}',
  },
  'AWS::CloudFront::Distribution': { Id: 'E{upper:13}', DomainName: 'd{lower:13}.cloudfront.net' },
  'AWS::CloudFront::CloudFrontOriginAccessIdentity': { Id: 'E{upper:13}', S3CanonicalUserId: '{hex:96}' },
  'AWS::CloudFront::OriginAccessControl': { Id: 'E{upper:13}' },
  'AWS::Cognito::IdentityPool': { Id: '{region}:{uuid}' },
  'AWS::Cognito::UserPool': {
    UserPoolId: '{region}_{upper:9}',
    ProviderName: 'cognito-idp.{region}.{suffix}/{UserPoolId}',
    ProviderURL: 'https://cognito-idp.{region}.{suffix}/{UserPoolId}',
  },
  'AWS::Cognito::UserPoolClient': { ClientId: '{lower:26}', ClientSecret: '{lower:52}' },
  'AWS::DynamoDB::GlobalTable': { StreamArn: '{Arn}/stream/{streamlabel}' },
  'AWS::DynamoDB::Table': { StreamArn: '{Arn}/stream/{streamlabel}' },
  'AWS::EC2::EIP': { AllocationId: 'eipalloc-{hex:17}', PublicIp: '198.51.100.{digits:2}' },
  'AWS::EC2::Instance': { PrivateIp: '10.0.0.1{digits:1}', PublicIp: '198.51.100.{digits:2}' },
  'AWS::EC2::Subnet': {
    AvailabilityZone: '{region}a',
    AvailabilityZoneId: '{zoneprefix}-az1',
    NetworkAclAssociationId: 'aclassoc-{hex:17}',
  },
  'AWS::EC2::VPC': {
    CidrBlockAssociations: ['vpc-cidr-assoc-{hex:17}'],
    DefaultNetworkAcl: 'acl-{hex:17}',
    DefaultSecurityGroup: 'sg-{hex:17}',
    Ipv6CidrBlocks: ['2001:db8:1234:1a00::/56'],
  },
  'AWS::EC2::VPCEndpoint': {
    DnsEntries: ['Z{upper:13}:{Id}-{lower:8}.vpce.{region}.{suffix}'],
    NetworkInterfaceIds: ['eni-{hex:17}'],
  },
  'AWS::ECR::Repository': { RepositoryUri: '{account}.dkr.ecr.{region}.{suffix}/{RepositoryName}' },
  'AWS::ECS::Service': { ServiceArn: 'arn:{partition}:ecs:{region}:{account}:service/{ecscluster}/{ServiceName}' },
  'AWS::ECS::TaskDefinition': {
    TaskDefinitionArn: 'arn:{partition}:ecs:{region}:{account}:task-definition/{Family}:1',
  },
  'AWS::EFS::AccessPoint': { AccessPointId: 'fsap-{hex:17}' },
  'AWS::EFS::FileSystem': { FileSystemId: 'fs-{hex:17}' },
  'AWS::EFS::MountTarget': { Id: 'fsmt-{hex:17}', IpAddress: '10.0.0.1{digits:1}' },
  'AWS::ElasticLoadBalancingV2::Listener': {
    ListenerArn: 'arn:{partition}:elasticloadbalancing:{region}:{account}:listener/{balancerpath}/{hex:16}',
  },
  'AWS::ElasticLoadBalancingV2::ListenerRule': {
    RuleArn: 'arn:{partition}:elasticloadbalancing:{region}:{account}:listener-rule/{listenerpath}/{hex:16}',
  },
  'AWS::ElasticLoadBalancingV2::LoadBalancer': {
    BalancerId: '{hex:16}',
    LoadBalancerFullName: '{balancerkind}/{LoadBalancerName}/{BalancerId}',
    LoadBalancerArn: 'arn:{partition}:elasticloadbalancing:{region}:{account}:loadbalancer/{LoadBalancerFullName}',
    CanonicalHostedZoneID: 'Z{upper:13}',
    DNSName: '{balancerhost}.{suffix}',
  },
  'AWS::ElasticLoadBalancingV2::TargetGroup': {
    TargetGroupFullName: 'targetgroup/{TargetGroupName}/{hex:16}',
    TargetGroupArn: 'arn:{partition}:elasticloadbalancing:{region}:{account}:{TargetGroupFullName}',
  },
  'AWS::Events::Connection': {
    SecretArn: 'arn:{partition}:secretsmanager:{region}:{account}:secret:events!connection/{Name}/{uuid}-{lower:6}',
  },
  'AWS::IAM::AccessKey': { Id: 'AKIA{upper:16}', SecretAccessKey: '{lower:40}' },
  'AWS::Kinesis::StreamConsumer': { ConsumerARN: '{StreamARN}/consumer/{ConsumerName}:{digits:10}' },
  'AWS::Lambda::EventSourceMapping': { Id: '{uuid}' },
  'AWS::Lambda::LayerVersion': {
    LayerVersionArn: 'arn:{partition}:lambda:{region}:{account}:layer:{LayerName}:1',
  },
  'AWS::Lambda::Url': {
    FunctionArn: '{TargetFunctionArn}',
    FunctionUrl: 'https://{lower:32}.lambda-url.{region}.on.aws/',
  },
  'AWS::MSK::Cluster': { Arn: 'arn:{partition}:kafka:{region}:{account}:cluster/{ClusterName}/{uuid}-1' },
  'AWS::MSK::ServerlessCluster': { Arn: 'arn:{partition}:kafka:{region}:{account}:cluster/{ClusterName}/{uuid}-s1' },
  'AWS::OpenSearchService::Domain': { DomainEndpoint: 'search-{DomainName}-{lower:26}.{region}.es.{suffix}' },
  'AWS::RDS::DBCluster': {
    DBClusterResourceId: 'cluster-{upper:26}',
    AccountHash: '{lower:12}',
    'Endpoint.Address': '{DBClusterIdentifier}.cluster-{AccountHash}.{region}.rds.{suffix}',
    'Endpoint.Port': '{databaseport}',
    'MasterUserSecret.SecretArn':
      'arn:{partition}:secretsmanager:{region}:{account}:secret:rds!cluster-{uuid}-{lower:6}',
    'ReadEndpoint.Address': '{DBClusterIdentifier}.cluster-ro-{AccountHash}.{region}.rds.{suffix}',
  },
  'AWS::RDS::DBInstance': {
    DbiResourceId: 'db-{upper:26}',
    'Endpoint.Address': '{DBInstanceIdentifier}.{lower:12}.{region}.rds.{suffix}',
    'Endpoint.HostedZoneId': 'Z{upper:13}',
    'Endpoint.Port': '{databaseport}',
    'MasterUserSecret.SecretArn': 'arn:{partition}:secretsmanager:{region}:{account}:secret:rds!db-{uuid}-{lower:6}',
  },
  'AWS::RDS::DBProxy': {
    DBProxyArn: 'arn:{partition}:rds:{region}:{account}:db-proxy:prx-{hex:17}',
    Endpoint: '{DBProxyName}.proxy-{lower:12}.{region}.rds.{suffix}',
  },
  'AWS::Route53::HostedZone': {
    Id: 'Z{upper:20}',
    NameServers: ['ns-{digits:3}.awsdns-{digits:2}.com', 'ns-{digits:3}.awsdns-{digits:2}.net'],
  },
  'AWS::S3::Bucket': {
    DomainName: '{BucketName}.s3.{suffix}',
    DualStackDomainName: '{BucketName}.s3.dualstack.{region}.{suffix}',
    RegionalDomainName: '{BucketName}.s3.{region}.{suffix}',
    WebsiteURL: 'http://{BucketName}.s3-website-{region}.{suffix}',
  },
  'AWS::StepFunctions::Activity': { Arn: 'arn:{partition}:states:{region}:{account}:activity:{Name}' },
  'AWS::StepFunctions::StateMachine': { Name: '{StateMachineName}' },
  'AWS::WAFv2::IPSet': wafForms('ipset'),
  'AWS::WAFv2::RegexPatternSet': wafForms('regexpatternset'),
  'AWS::WAFv2::RuleGroup': wafForms('rulegroup'),
  'AWS::WAFv2::WebACL': wafForms('webacl'),
};

/** Attributes that a resource has only with a property. Another value of the property makes another value of the attribute. */
const NEEDED_PROPERTIES: Readonly<Record<string, string>> = {
  'AWS::DynamoDB::GlobalTable.StreamArn': 'StreamSpecification',
  'AWS::DynamoDB::Table.StreamArn': 'StreamSpecification',
};

/** The property without which a resource does not have the attribute. */
export const neededProperty = (type: string, attribute: string): string | undefined =>
  NEEDED_PROPERTIES[`${type}.${attribute}`];

/** What `Ref` returns, where the registry has the identifiers of the Cloud Control API only. */
const REFS: Readonly<Record<string, readonly string[]>> = {
  'AWS::ApplicationAutoScaling::ScalingPolicy': ['Arn'],
  'AWS::Glue::Database': ['DatabaseInput.Name'],
  'AWS::Glue::Table': ['TableInput.Name'],
};

const ENGINE_PORTS: readonly (readonly [engine: RegExp, port: string])[] = [
  [/postgres/, '5432'],
  [/^sqlserver/, '1433'],
  [/^oracle/, '1521'],
];

/** A text of the template in a form, in which braces would be placeholders. */
const literal = (text: unknown): string => String(text ?? '').replace(/[{}]/g, '');

/** The part of an ARN after its kind: `app/name/id` in `…:listener/app/name/id`. */
const pathAfter = (kind: string, arn: unknown): string | undefined => literal(arn).split(`:${kind}/`)[1];

/** Parts of forms that depend on other properties, or on the Region. They may be forms themselves. */
export function derivedParts(properties: JsonObject, region: string): Readonly<Record<string, string>> {
  const { Cluster = 'default', Type, Port, Engine, EngineType, Scope, LoadBalancerArn, ListenerArn } = properties;
  const engine = String(Engine ?? '');
  const [area = '', ...rest] = region.split('-');
  const directions = rest.map(part => part.replace(/^(north|south)(east|west)$/, (_, a, b) => a[0] + b[0]));
  return {
    ecscluster: literal(Cluster).split('/').at(-1) ?? '',
    balancerkind: Type === 'network' ? 'net' : Type === 'gateway' ? 'gwy' : 'app',
    balancerhost:
      Type === 'network'
        ? '{LoadBalancerName}-{BalancerId}.elb.{region}'
        : '{LoadBalancerName}-{digits:10}.{region}.elb',
    balancerpath: pathAfter('loadbalancer', LoadBalancerArn) ?? 'app/{name}/{hex:16}',
    listenerpath: pathAfter('listener', ListenerArn) ?? 'app/{name}/{hex:16}/{hex:16}',
    brokernode: /^rabbitmq$/i.test(String(EngineType)) ? '' : '-1',
    consoleport: /^rabbitmq$/i.test(String(EngineType)) ? '' : ':8162',
    wafscope: Scope === 'CLOUDFRONT' ? 'global' : 'regional',
    databaseport: literal(scalarText(Port)) || (ENGINE_PORTS.find(([name]) => name.test(engine))?.[1] ?? '3306'),
    // As in `use1-az1` of us-east-1, and `apse2-az1` of ap-southeast-2.
    zoneprefix: area + directions.map(part => (part.length > 2 ? part.slice(0, 1) : part)).join(''),
  };
}

export const refOf = (type: string): readonly string[] | undefined =>
  Object.hasOwn(REFS, type) ? REFS[type] : undefined;

/** The form of the ids of a service, where most of its types have the same. */
const SERVICE_IDS: Readonly<Record<string, string>> = {
  'AWS::ApiGateway': '{lower:6}',
  'AWS::ApiGatewayV2': '{lower:10}',
};

/** Names that must be in lower case, and how long names may be, by service or type. */
const LOWER_CASE: ReadonlySet<string> = new Set([
  'AWS::DocDB',
  'AWS::ECR',
  'AWS::ElastiCache',
  'AWS::Neptune',
  'AWS::OpenSearchServerless',
  'AWS::OpenSearchService',
  'AWS::Elasticsearch',
  'AWS::RDS',
  'AWS::Redshift',
  'AWS::S3',
]);

const LONGEST: Readonly<Record<string, number>> = {
  'AWS::ElasticLoadBalancingV2': 32,
  'AWS::OpenSearchService': 28,
  'AWS::Elasticsearch': 28,
  'AWS::S3': 63,
  'AWS::StepFunctions': 80,
  'AWS::DynamoDB': 255,
  'AWS::Kinesis': 128,
};

const serviceOf = (type: string): string => type.split('::').slice(0, 2).join('::');

export const hasForm = (type: string, name: string): boolean => Object.hasOwn(FORMS[type] ?? {}, name);

/** The form of an attribute or identifier; undefined where the schema and the name must do. */
export function formOf(type: string, name: string): Form | undefined {
  const forms = Object.hasOwn(FORMS, type) ? FORMS[type] : undefined;
  if (forms && Object.hasOwn(forms, name)) return forms[name];
  const [, service, kind = ''] = type.split('::');
  const base = /^(.*)I[dD]$/.exec(name)?.[1]?.toLowerCase();
  if (base === undefined) return undefined;
  const isOwn = kind.toLowerCase().endsWith(base);
  const ofEc2 = ownMember(EC2_PREFIXES, service === 'EC2' && isOwn ? kind.toLowerCase() : base);
  if (ofEc2 !== undefined) return `${ofEc2}-{hex:17}`;
  return isOwn ? ownMember(SERVICE_IDS, serviceOf(type)) : undefined;
}

/** How a service's names must look. */
export function nameRules(type: string): { readonly isLowerCase: boolean; readonly longest: number } {
  const service = serviceOf(type);
  return { isLowerCase: LOWER_CASE.has(service), longest: ownMember(LONGEST, service) ?? 64 };
}
