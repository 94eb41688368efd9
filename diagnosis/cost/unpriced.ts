import { counted } from '../../policy/format-text';
import { knownValue } from '../../template/maybe-known';
import type { ResourceReading } from '../template-reader/app-reading';

/** How AWS bills what has no price here. What exists by the hour costs more than all that has one, as a rule. */
type UnpricedBilling = 'by the hour' | 'by use' | 'unknown';

/** Resources of a type that AWS bills, or may bill, and that the figures leave out. */
export interface Unpriced {
  readonly type: string;
  /** In the singular: `NAT gateway`. The type itself if it is not known here. */
  readonly name: string;
  readonly count: number;
  readonly billed: UnpricedBilling;
}

/** Billed for each hour or month in which they exist, also unused. */
const BY_THE_HOUR: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'AWS::AmazonMQ::Broker': 'Amazon MQ broker',
    'AWS::ApiGateway::Stage': 'API cache',
    'AWS::AppRunner::Service': 'App Runner service',
    'AWS::AutoScaling::AutoScalingGroup': 'Auto Scaling group',
    'AWS::DAX::Cluster': 'DAX cluster',
    'AWS::DynamoDB::Table': 'provisioned DynamoDB table',
    'AWS::DocDB::DBInstance': 'DocumentDB instance',
    'AWS::EC2::ClientVpnTargetNetworkAssociation': 'client VPN association',
    'AWS::EC2::EIP': 'public IPv4 address',
    'AWS::EC2::Instance': 'EC2 instance',
    'AWS::EC2::NatGateway': 'NAT gateway',
    'AWS::EC2::TransitGatewayAttachment': 'transit gateway attachment',
    'AWS::EC2::TransitGatewayVpcAttachment': 'transit gateway attachment',
    'AWS::EC2::VPCEndpoint': 'interface endpoint',
    'AWS::EC2::VPNConnection': 'VPN connection',
    'AWS::EC2::Volume': 'EBS volume',
    'AWS::ECS::Service': 'ECS service',
    'AWS::EKS::Cluster': 'EKS cluster',
    'AWS::EKS::Nodegroup': 'EKS node group',
    'AWS::ElastiCache::CacheCluster': 'ElastiCache cluster',
    'AWS::ElastiCache::ReplicationGroup': 'ElastiCache cluster',
    'AWS::ElastiCache::ServerlessCache': 'ElastiCache serverless cache',
    'AWS::ElasticLoadBalancing::LoadBalancer': 'load balancer',
    'AWS::ElasticLoadBalancingV2::LoadBalancer': 'load balancer',
    'AWS::FSx::FileSystem': 'FSx file system',
    'AWS::Kinesis::Stream': 'Kinesis stream',
    'AWS::Kinesis::StreamConsumer': 'Kinesis stream consumer',
    'AWS::KinesisAnalyticsV2::Application': 'Flink application',
    'AWS::Lambda::Alias': 'provisioned-concurrency alias',
    'AWS::Lambda::Version': 'provisioned-concurrency version',
    'AWS::MSK::Cluster': 'MSK cluster',
    'AWS::MSK::ServerlessCluster': 'MSK cluster',
    'AWS::MWAA::Environment': 'Airflow environment',
    'AWS::MemoryDB::Cluster': 'MemoryDB cluster',
    'AWS::Neptune::DBInstance': 'Neptune instance',
    'AWS::NetworkFirewall::Firewall': 'network firewall',
    'AWS::NetworkFirewall::VpcEndpointAssociation': 'network firewall endpoint',
    'AWS::OpenSearchServerless::Collection': 'OpenSearch collection',
    'AWS::OpenSearchService::Domain': 'OpenSearch domain',
    'AWS::RDS::DBCluster': 'RDS cluster',
    'AWS::RDS::DBInstance': 'RDS instance',
    'AWS::RDS::DBProxy': 'RDS proxy',
    'AWS::Redshift::Cluster': 'Redshift cluster',
    'AWS::Route53::HealthCheck': 'Route 53 health check',
    'AWS::Route53::HostedZone': 'Route 53 hosted zone',
    'AWS::SageMaker::Endpoint': 'SageMaker endpoint',
    'AWS::Transfer::Server': 'Transfer Family server',
    'AWS::WAFv2::WebACL': 'WAF web ACL',
  }),
);

/** Billed for requests, events, runs and storage. */
const BY_USE: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'AWS::AppSync::Api': 'AppSync API',
    'AWS::AppSync::GraphQLApi': 'AppSync API',
    'AWS::CloudFront::Distribution': 'CloudFront distribution',
    'AWS::CodeBuild::Project': 'CodeBuild project',
    'AWS::CodePipeline::Pipeline': 'CodePipeline pipeline',
    'AWS::Cognito::UserPool': 'Cognito user pool',
    'AWS::DynamoDB::GlobalTable': 'DynamoDB global table',
    'AWS::EC2::FlowLog': 'flow log',
    'AWS::ECR::Repository': 'ECR repository',
    'AWS::EFS::FileSystem': 'EFS file system',
    'AWS::Events::ApiDestination': 'API destination',
    'AWS::Events::Archive': 'archive of events',
    'AWS::Events::EventBus': 'event bus',
    'AWS::Glue::Crawler': 'Glue crawler',
    'AWS::Glue::Job': 'Glue job',
    'AWS::IoT::TopicRule': 'IoT rule',
    'AWS::KinesisFirehose::DeliveryStream': 'Firehose stream',
    'AWS::Pipes::Pipe': 'EventBridge pipe',
    'AWS::S3::Bucket': 'S3 bucket',
    'AWS::StepFunctions::StateMachine': 'state machine',
  }),
);

/** Types that are billed by the hour only with a setting. Without it, they cost nothing more than is counted. */
const ONLY_WITH: ReadonlyMap<string, (it: ResourceReading) => boolean> = new Map([
  [
    'AWS::ApiGateway::Stage',
    (it: ResourceReading) => knownValue(it.given('CacheClusterEnabled').flag(false)) !== false,
  ],
  [
    'AWS::DynamoDB::Table',
    (it: ResourceReading) => knownValue(it.given('BillingMode').text('PROVISIONED')) !== 'PAY_PER_REQUEST',
  ],
  [
    'AWS::EC2::VPCEndpoint',
    (it: ResourceReading) => knownValue(it.given('VpcEndpointType').text('Gateway')) !== 'Gateway',
  ],
  ['AWS::Lambda::Alias', (it: ResourceReading) => it.given('ProvisionedConcurrencyConfig').isPresent !== false],
  ['AWS::Lambda::Version', (it: ResourceReading) => it.given('ProvisionedConcurrencyConfig').isPresent !== false],
]);

/** What has a price in the figures or costs nothing itself. */
const COUNTED_OR_FREE = [
  /^AWS::(ApiGateway|ApiGatewayV2|CloudFormation|IAM|KMS|Logs|SNS|SQS|Scheduler|SecretsManager)::/,
  /^AWS::(AppConfig|ApplicationAutoScaling|Chatbot|CertificateManager|ResourceGroups|SSM|ServiceCatalogAppRegistry)::/,
  /^AWS::AutoScaling::(?!AutoScalingGroup)/,
  /^AWS::CloudWatch::(?!MetricStream|InsightRule)/,
  /^AWS::CloudFront::(?!Distribution|StreamingDistribution|AnycastIpList|KeyValueStore)/,
  /^AWS::Cognito::(?!UserPool$)/,
  /^AWS::EC2::(CustomerGateway|DHCPOptions|EgressOnlyInternetGateway|InternetGateway|KeyPair|LaunchTemplate|NetworkInterface|PlacementGroup|PrefixList)/,
  /^AWS::EC2::(Route|SecurityGroup|Subnet|NetworkAcl)(?!Server)/,
  /^AWS::EC2::VPC($|CidrBlock|DHCP|Gateway|PeeringConnection|Endpoint(Service|ConnectionNotification))/,
  /^AWS::ECS::(CapacityProvider|Cluster|ClusterCapacityProviderAssociations|TaskDefinition)$/,
  /^AWS::EFS::(AccessPoint|MountTarget)$/,
  /^AWS::ElasticLoadBalancingV2::(?!LoadBalancer)/,
  /^AWS::Events::(Connection|EventBusPolicy|Rule)$/,
  /^AWS::IoT::(?!TopicRule$)/,
  /^AWS::Lambda::(?!CapacityProvider|MicrovmImage|NetworkConnector)/,
  /^AWS::RDS::(DB\w*Group\w*|DBProxy(Endpoint|TargetGroup)|EventSubscription|OptionGroup|DBClusterParameterGroup)$/,
  /^AWS::Route53::RecordSet/,
  /^AWS::S3::(AccessPoint|BucketPolicy)$/,
  /^AWS::StepFunctions::(?!StateMachine$)/,
  /^AWS::WAFv2::(?!WebACL$)/,
  /(Association|Attachment|InlinePolicy|ParameterGroup|ResourcePolicy|SecurityConfiguration|SubnetGroup)$/,
  /^Custom::/,
];

function billingOf(it: ResourceReading): Pick<Unpriced, 'name' | 'billed'> | undefined {
  const { type } = it;
  const [standing, used] = [BY_THE_HOUR.get(type), BY_USE.get(type)];
  if (standing !== undefined && ONLY_WITH.get(type)?.(it) !== false) return { name: standing, billed: 'by the hour' };
  if (used !== undefined) return { name: used, billed: 'by use' };
  const isLeftOut = standing !== undefined || COUNTED_OR_FREE.some(free => free.test(type));
  return isLeftOut ? undefined : { name: type, billed: 'unknown' };
}

const ORDER: readonly UnpricedBilling[] = ['by the hour', 'by use', 'unknown'];

/** Adds the counts of the same type, and sorts: first what costs something while it is unused. */
export function togetherUnpriced(all: readonly Unpriced[]): readonly Unpriced[] {
  const types = [...new Set(all.map(({ type }) => type))].sort();
  const added = types.flatMap(type => {
    const same = all.filter(it => it.type === type);
    return same.slice(0, 1).map(it => ({ ...it, count: same.reduce((sum, { count }) => sum + count, 0) }));
  });
  return added.sort((one, other) => ORDER.indexOf(one.billed) - ORDER.indexOf(other.billed));
}

export function unpricedOf(resources: readonly ResourceReading[]): readonly Unpriced[] {
  return togetherUnpriced(
    resources.flatMap(it => {
      const billing = billingOf(it);
      return billing ? [{ type: it.type, ...billing, count: 1 }] : [];
    }),
  );
}

function plural(name: string): string {
  if (/[^aeiou]y$/.test(name)) return `${name.slice(0, -1)}ies`;
  return name.endsWith('s') ? `${name}es` : `${name}s`;
}

/** `2 NAT gateways`. */
export function unpricedText({ name, count, billed }: Unpriced): string {
  return billed === 'unknown' ? `${count} ${name}` : counted(count, name, plural(name));
}
