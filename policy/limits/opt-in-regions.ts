/** @see https://docs.aws.amazon.com/global-infrastructure/latest/regions/aws-regions.html */
const OPT_IN_REGIONS: ReadonlySet<string> = new Set([
  'af-south-1',
  'ap-east-1',
  'ap-east-2',
  'ap-south-2',
  'ap-southeast-3',
  'ap-southeast-4',
  'ap-southeast-5',
  'ap-southeast-6',
  'ap-southeast-7',
  'ca-west-1',
  'eu-central-2',
  'eu-south-1',
  'eu-south-2',
  'il-central-1',
  'me-central-1',
  'me-south-1',
  'mx-central-1',
]);

/**
 * Whether SNS delivers from one Region to another: to a queue or a function of an opt-in Region from no other opt-in Region,
 * and to a function of one from none at all. Of other protocols nothing is said.
 * @see https://docs.aws.amazon.com/sns/latest/dg/lambda-prereq.html
 */
export function isOutOfReach(from: string, to: string, protocol: string): boolean {
  if (from === to || !OPT_IN_REGIONS.has(to)) return false;
  return protocol === 'lambda' || (protocol === 'sqs' && OPT_IN_REGIONS.has(from));
}

/**
 * The name by which SNS comes where it delivers from one Region to another and one of them is opt-in; undefined elsewhere.
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-cross-region-delivery.html
 */
export function regionalSns(from: string, to: string): string | undefined {
  const optIn = [to, from].find(region => OPT_IN_REGIONS.has(region));
  return from !== to && optIn !== undefined ? `sns.${optIn}.amazonaws.com` : undefined;
}
