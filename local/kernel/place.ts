import { formatArn } from '../../policy/arn';

/** The account and Region of a simulation. */
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

/** The ARN of something that lives in `place`. */
export function arnIn(place: Place, service: string, resource: string): string {
  return formatArn({ partition: place.partition, service, region: place.region, account: place.account, resource });
}
