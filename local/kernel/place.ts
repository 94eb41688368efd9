import { formatArn } from '../../policy/arn';

/** An account in a Region. */
export interface Place {
  /** Twelve digits. */
  readonly account: string;
  /** For example `us-east-1`. */
  readonly region: string;
  /** `aws`, `aws-cn` or `aws-us-gov`. */
  readonly partition: string;
  /** The suffix of the Region's host names, for example `amazonaws.com`. */
  readonly urlSuffix: string;
}

/** AWS's example account for documentation, in the Region that most examples use. */
export const EXAMPLE_PLACE: Place = {
  account: '123456789012',
  region: 'us-east-1',
  partition: 'aws',
  urlSuffix: 'amazonaws.com',
};

/** Returns the place with the Region's partition and host name suffix. */
export function placeIn(account: string, region: string): Place {
  if (region.startsWith('cn-')) return { account, region, partition: 'aws-cn', urlSuffix: 'amazonaws.com.cn' };
  const partition = region.startsWith('us-gov-') ? 'aws-us-gov' : 'aws';
  return { account, region, partition, urlSuffix: 'amazonaws.com' };
}

/** The ARN of something that lives in `place`. */
export function arnIn(place: Place, service: string, resource: string): string {
  return formatArn({ partition: place.partition, service, region: place.region, account: place.account, resource });
}
