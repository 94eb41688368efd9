import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { resourceTypeNames, schemaOf } from '../../../local/cloudformation/resource-schemas';

test('the recorded schemas are those of the installed @aws-cdk/aws-service-spec', () => {
  const script = join(__dirname, '../../../.scripts/resource-schemas.mjs');
  const { status, stderr } = spawnSync(process.execPath, [script, '--check'], { encoding: 'utf8' });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
});

test('every resource type can be read, and says what Ref returns', () => {
  const names = resourceTypeNames();
  expect(names.length).toBeGreaterThan(1500);
  // Types that AWS has withdrawn, and those of SAM, have no identifier.
  const withoutRef = names.filter(name => schemaOf(name)?.ref.length === 0);
  expect(withoutRef.map(name => name.split('::')[1]).filter((it, i, all) => all.indexOf(it) === i)).toEqual([
    'IoTFleetHub',
    'LookoutMetrics',
    'NimbleStudio',
    'OpsWorks',
    'OpsWorksCM',
    'Serverless',
  ]);
});

test.each<[string, object]>([
  ['AWS::SNS::Subscription', { createOnly: ['Endpoint', 'Protocol', 'TopicArn'], required: ['Protocol', 'TopicArn'] }],
  ['AWS::SQS::Queue', { ref: ['QueueUrl'], createOnly: ['FifoQueue', 'QueueName'], required: [] }],
  ['AWS::S3::Bucket', { ref: ['BucketName'], arn: `arn:\${Partition}:s3:::\${BucketName}` }],
  ['AWS::ApiGateway::Resource', { ref: ['ResourceId'], createOnly: ['ParentId', 'PathPart', 'RestApiId'] }],
  ['AWS::EFS::MountTarget', { sometimesCreateOnly: [], createOnly: expect.arrayContaining(['SubnetId']) }],
  ['AWS::EC2::VPC', { sometimesCreateOnly: ['InstanceTenancy'] }],
  // Nested properties, and those that the specification lists apart.
  ['AWS::EC2::VPCEndpoint', { createOnly: expect.arrayContaining(['DnsOptions.PrivateDnsPreference']) }],
  ['AWS::EFS::AccessPoint', { createOnly: expect.arrayContaining(['CreationInfo.OwnerUid']) }],
  ['AWS::DynamoDB::GlobalTable', { arn: `arn:\${Partition}:dynamodb::\${Account}:global-table/\${GlobalTableName}` }],
  // Without a template in the schema: from the form of the service's other ARNs.
  ['AWS::NetworkManager::Site', { arn: `arn:\${Partition}:networkmanager:\${Region}:\${Account}:site/\${Id}` }],
])('%s', (type, expected) => {
  expect(schemaOf(type)).toMatchObject(expected);
});

test('attributes have kinds', () => {
  const kinds = [...(schemaOf('AWS::EC2::VPC')?.attributes ?? [])].filter(([name]) => !name.includes('.'));
  expect(Object.fromEntries(kinds)).toMatchObject({ VpcId: 'text', CidrBlockAssociations: 'list' });
  expect(schemaOf('AWS::RDS::DBInstance')?.attributes.get('AutomaticRestartTime')).toBe('text');
});

test.each(['AWS::Nope::Thing', 'toString', ''])('the registry does not have "%s"', type => {
  expect(schemaOf(type)).toBeUndefined();
});
