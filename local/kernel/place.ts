import { formatArn } from '../../policy/arn';

/** The account and Region a world plays in. */
export interface Place {
  /** Twelve digits. */
  readonly account: string;
  /** For example `us-east-1`. */
  readonly region: string;
  /** `aws`, `aws-cn` or `aws-us-gov`. */
  readonly partition: string;
  /** The end of the Region's host names, for example `amazonaws.com`. */
  readonly urlSuffix: string;
}

/** An account that AWS keeps for documentation, in the Region most examples use. */
export const EXAMPLE_PLACE: Place = {
  account: '123456789012',
  region: 'us-east-1',
  partition: 'aws',
  urlSuffix: 'amazonaws.com',
};

/** The ARN of something that lives in `place`. */
export function arnIn(place: Place, service: string, resource: string): string {
  return formatArn({ partition: place.partition, service, region: place.region, account: place.account, resource });
}
