/**
 * The Regions of each partition, those included that an account must enable. AWS lists them only to callers with the permission
 * `account:ListRegions` or `ec2:DescribeRegions`, which an operator of queues seldom has.
 * @see https://docs.aws.amazon.com/global-infrastructure/latest/regions/aws-regions.html
 */
export const AWS_REGIONS: Readonly<Record<string, readonly string[]>> = {
  aws: [
    ...['us-east-1', 'us-east-2', 'us-west-1', 'us-west-2', 'ca-central-1', 'ca-west-1', 'mx-central-1', 'sa-east-1'],
    ...[
      'eu-central-1',
      'eu-central-2',
      'eu-north-1',
      'eu-south-1',
      'eu-south-2',
      'eu-west-1',
      'eu-west-2',
      'eu-west-3',
    ],
    ...['il-central-1', 'me-central-1', 'me-south-1', 'me-west-1', 'af-south-1', 'ap-east-1', 'ap-east-2'],
    ...['ap-northeast-1', 'ap-northeast-2', 'ap-northeast-3', 'ap-south-1', 'ap-south-2', 'ap-southeast-1'],
    ...['ap-southeast-2', 'ap-southeast-3', 'ap-southeast-4', 'ap-southeast-5', 'ap-southeast-6', 'ap-southeast-7'],
  ],
  'aws-cn': ['cn-north-1', 'cn-northwest-1'],
  'aws-us-gov': ['us-gov-east-1', 'us-gov-west-1'],
  'aws-eusc': ['eusc-de-east-1'],
  'aws-iso': ['us-iso-east-1', 'us-iso-west-1'],
  'aws-iso-b': ['us-isob-east-1', 'us-isob-west-1'],
  'aws-iso-e': ['eu-isoe-west-1'],
  'aws-iso-f': ['us-isof-east-1', 'us-isof-south-1'],
};

/** All Regions of the partition that this Region is in. Those of the partition `aws` for an unknown Region. */
export function regionsBeside(region: string | undefined): readonly string[] {
  const same = Object.values(AWS_REGIONS).find(regions => region !== undefined && regions.includes(region));
  return same ?? AWS_REGIONS['aws'] ?? [];
}
