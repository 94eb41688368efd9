import { ACCOUNT_STAND_IN, REGION_STAND_IN } from '../inventory/stand-in';

/** Where a stack is deployed, with stand-ins for what is chosen then. */
export interface TemplateEnvironment {
  readonly partition: string;
  readonly region: string;
  readonly account: string;
  readonly urlSuffix: string;
}

/** Partitions by how the names of their Regions begin. @see https://docs.aws.amazon.com/whitepapers/latest/aws-fault-isolation-boundaries/partitions.html */
const PARTITIONS: readonly (readonly [start: string, partition: string, urlSuffix: string])[] = [
  ['cn-', 'aws-cn', 'amazonaws.com.cn'],
  ['us-gov-', 'aws-us-gov', 'amazonaws.com'],
  ['us-isob-', 'aws-iso-b', 'sc2s.sgov.gov'],
  ['us-iso-', 'aws-iso', 'c2s.ic.gov'],
  ['eusc-', 'aws-eusc', 'amazonaws.eu'],
  ['', 'aws', 'amazonaws.com'],
];

/** What an assembly says where the app leaves it open. */
const OPEN = /^(unknown|current)[-_]/;

function known(value: string | undefined): string | undefined {
  return value === undefined || value === '' || OPEN.test(value) ? undefined : value;
}

/** Where nothing says the partition, it is taken to be the one that most of AWS is. */
export function environmentOf(where: {
  account?: string | undefined;
  region?: string | undefined;
}): TemplateEnvironment {
  const region = known(where.region) ?? REGION_STAND_IN;
  const [, partition = 'aws', urlSuffix = 'amazonaws.com'] =
    PARTITIONS.find(([start]) => region.startsWith(start)) ?? [];
  return { partition, region, account: known(where.account) ?? ACCOUNT_STAND_IN, urlSuffix };
}
