/** The parts of an AWS host name. */
interface AwsHostName {
  /** For example `dynamodb`. */
  readonly service: string;
  /** Undefined for a host of all Regions, such as `iam.amazonaws.com`. */
  readonly region: string | undefined;
}

/** The suffixes of AWS's host names in every partition. */
const SUFFIXES = ['amazonaws.com', 'amazonaws.com.cn', 'api.aws'] as const;

const REGION = /^[a-z]{2}(?:-[a-z]+)+-\d+$/;

/**
 * Parses a host name: `dynamodb.us-east-1.amazonaws.com`, `bucket.s3.us-east-1.amazonaws.com`,
 * `lambda.us-east-1.api.aws`.
 *
 * @param urlSuffix the suffix of the simulation's own host names
 * @returns undefined when the host is not AWS's
 * @see https://docs.aws.amazon.com/general/latest/gr/rande.html
 */
export function awsHostName(hostName: string, urlSuffix: string): AwsHostName | undefined {
  const name = hostName.toLowerCase().replace(/\.$/, '');
  const suffix = [urlSuffix, ...SUFFIXES].find(end => name === end || name.endsWith(`.${end}`));
  if (suffix === undefined) return undefined;
  const labels = name
    .slice(0, -suffix.length)
    .split('.')
    .filter(label => label !== '' && label !== 'dualstack');
  const at = labels.findIndex(label => REGION.test(label));
  // Behind the Region in the older kind, `name.us-east-1.elb`; before it in all the others.
  const service = (at === labels.length - 1 ? labels[at - 1] : labels.at(-1)) ?? suffix;
  return { service, region: labels[at] };
}
